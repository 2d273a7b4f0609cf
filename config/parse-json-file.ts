import type { ConfigIssue } from '@tallyhook/platform/invalid-config-error';
import { InvalidJsonError, parseJsonText } from '@tallyhook/platform/parse-json-text';
import { parseParts } from '@tallyhook/platform/parse-parts';
import { readTextFile, UnreadableFileError } from '@tallyhook/platform/text-file';
import type { z } from 'zod';

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
    json = parseJsonText(readTextFile(path));
  } catch (error) {
    const isUnreadable = error instanceof UnreadableFileError;
    if (!isUnreadable && !(error instanceof InvalidJsonError)) throw error;
    const problem = `points to ${path}, which ${isUnreadable ? error.problem : `is ${error.message}`}.`;
    issues.push({ setting, problem, hint: `${error.hint} ${formatHint}` });
    return undefined;
  }
  return parseParts(json, schema, { setting, noun: 'a setting', hint: `Correct the file. ${formatHint}` }, issues);
}
