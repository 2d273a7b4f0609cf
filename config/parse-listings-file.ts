import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { type FileListing, listingsFile } from './listings-file.ts';
import type { ConfigIssue } from './schema.ts';

/** The listings in the file that `TALLYHOOK_CONFIG` names; none if it is invalid. Issues are added to `issues`. */
export function parseListingsFile(path: string, issues: ConfigIssue[]): readonly FileListing[] {
  const setting = 'TALLYHOOK_CONFIG';
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    // The message of a JSON error quotes the file, which contains secrets.
    const problem = `points to ${path}, which ${error instanceof SyntaxError ? 'is not JSON' : 'cannot be read'}.`;
    issues.push({ setting, problem, hint: 'Correct the path or the file. Its schema: `tallyhook config --schema`.' });
    return [];
  }
  const result = listingsFile.safeParse(json, { error: messageFor });
  if (result.success) return result.data.listings;
  for (const { path, message } of result.error.issues) {
    const word = valueAt(json, path) === undefined ? 'missing' : 'invalid';
    issues.push({
      setting: `${setting} ${path.join('.')}`.trim(),
      problem: `is ${word}: ${message}.`,
      hint: 'Correct the file. Its schema: `tallyhook config --schema`.',
    });
  }
  return [];
}

/** Plain words for schemas without a message of their own; without the value, which may be secret. */
function messageFor(issue: z.core.$ZodRawIssue): string | undefined {
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
