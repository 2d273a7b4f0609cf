import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import type { ConfigIssue } from './schema.ts';

/** Where a file is named, and what explains its format. */
export interface JsonFileSource {
  readonly path: string;
  /** The setting or the option that names the file. */
  readonly setting: string;
  /** Sentence that says where the format is described. */
  readonly formatHint: string;
}

/** The content of a JSON file; undefined if it is invalid. Issues are added to `issues`. */
export function parseJsonFile<Schema extends z.ZodType>(
  { path, setting, formatHint }: JsonFileSource,
  schema: Schema,
  issues: ConfigIssue[],
): z.output<Schema> | undefined {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    // The message of a JSON error quotes the file, which contains secrets.
    const problem = `points to ${path}, which ${error instanceof SyntaxError ? 'is not JSON' : 'cannot be read'}.`;
    issues.push({ setting, problem, hint: `Correct the path or the file. ${formatHint}` });
    return undefined;
  }
  return parseParts(json, schema, { setting, hint: `Correct the file. ${formatHint}` }, issues);
}

/** A value in the form of the file; undefined if it is invalid. One issue per invalid part is added to `issues`. */
export function parseParts<Schema extends z.ZodType>(
  json: unknown,
  schema: Schema,
  { setting, hint }: Pick<ConfigIssue, 'setting' | 'hint'>,
  issues: ConfigIssue[],
): z.output<Schema> | undefined {
  const result = schema.safeParse(json, { error: messageFor });
  if (result.success) return result.data;
  for (const { path, message } of result.error.issues) {
    const word = valueAt(json, path) === undefined ? 'missing' : 'invalid';
    issues.push({ setting: `${setting} ${path.join('.')}`.trim(), problem: `is ${word}: ${message}.`, hint });
  }
  return undefined;
}

/** Plain words for schemas without a message of their own; without the value, which may be secret. */
export function messageFor(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? `${nounFor(issue.expected)} is required`
        : `it must be ${nounFor(issue.expected)}`;
    case 'invalid_value':
      return `it must be one of ${issue.values.map(String).join(', ')}`;
    case 'unrecognized_keys':
      return `it contains ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}, which is not a setting`;
    case 'invalid_key':
      return 'its name must have 1 to 100 characters';
    default:
      return undefined;
  }
}

const nouns: Readonly<Record<string, string>> = {
  array: 'a list: […]',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object: {…}',
  record: 'an object: {…}',
  string: 'a text: "…"',
};

function nounFor(type: string): string {
  return nouns[type] ?? `of the type ${type}`;
}

function valueAt(json: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    json,
  );
}
