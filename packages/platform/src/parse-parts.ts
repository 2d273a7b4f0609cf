import type { z } from 'zod';
import { closest } from './did-you-mean.ts';
import type { ConfigIssue } from './invalid-config-error.ts';
import { knownKeysOf, messageFor } from './schema-messages.ts';

/** The source of a parsed value, for the messages of its issues. */
export interface ParsedSource {
  /** Begins the name of every part; empty for the options of a function. */
  readonly setting: string;
  /** The noun that an unknown part is not: `a setting`, or `an option of createReceiver`. */
  readonly noun: string;
  /** The hint for an invalid part. */
  readonly hint: string | ((path: readonly (string | number)[]) => string);
}

/** A value in the form of a schema; undefined if it is invalid. One issue per invalid part is added to `issues`. */
export function parseParts<Schema extends z.ZodType>(
  input: unknown,
  schema: Schema,
  { setting, noun, hint }: ParsedSource,
  issues: ConfigIssue[],
): z.output<Schema> | undefined {
  const knownKeys = new Map<string, readonly string[]>();
  const result = schema.safeParse(input, {
    error(issue) {
      if (issue.code === 'unrecognized_keys') knownKeys.set(JSON.stringify(issue.path ?? []), knownKeysOf(issue));
      return messageFor(issue);
    },
  });
  if (result.success) return result.data;
  const hintFor = (path: readonly (string | number)[]) => (typeof hint === 'string' ? hint : hint(path));
  for (const issue of result.error.issues) {
    const path = issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key));
    if (issue.code === 'unrecognized_keys') {
      const known = knownKeys.get(JSON.stringify(issue.path)) ?? [];
      issues.push(...issue.keys.map((key) => unknownPart([...path, key], known)));
      continue;
    }
    const word = valueAt(input, path) === undefined ? 'missing' : 'invalid';
    issues.push({ setting: nameOf(path), problem: `is ${word}: ${issue.message}.`, hint: hintFor(path), path });
  }
  return undefined;

  function unknownPart(path: readonly (string | number)[], known: readonly string[]): ConfigIssue {
    const suggestion = closest(String(path.at(-1)), known);
    const hint = suggestion === undefined ? hintFor(path) : `Did you mean ${suggestion}?`;
    if (setting === '') return { setting: nameOf(path), problem: `is not ${noun}.`, hint, path };
    const problem = `is invalid: it contains ${JSON.stringify(path.at(-1))}, which is not ${noun}.`;
    return { setting: nameOf(path.slice(0, -1)), problem, hint, path };
  }

  /** `TALLYHOOK_CONFIG listings.0.name` in a file, `listings[0].name` and `handlers.onVote` in options. */
  function nameOf(path: readonly (string | number)[]): string {
    if (setting !== '') return `${setting} ${path.join('.')}`.trim();
    const [option = 'options', ...rest] = path;
    return `${option}${rest.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('')}`;
  }
}

/** The part of a value that a path leads to; undefined if there is none. */
export function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    input,
  );
}
