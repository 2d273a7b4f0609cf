import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import type { ConfigIssue } from '../src/platform/invalid-config-error.ts';
import { parseParts } from '../src/platform/parse-parts.ts';

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
  return parseParts(json, schema, { setting, noun: 'a setting', hint: `Correct the file. ${formatHint}` }, issues);
}
