import { parseEnv } from 'node:util';
import { readTextFile, UnreadableFileError } from '@tallyhook/platform/text-file';

/** Variables by name, like `process.env`. An empty variable counts as unset. @category Start here */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The variables of the process, and for those that are missing the current content of the file `.env`, which is
 * optional.
 * @throws UnreadableFileError if the file exists and cannot be read
 */
export function readEnvironment(variables: Environment, path = '.env'): Environment {
  return { ...readDotEnv(path), ...variables };
}

function readDotEnv(path: string): Environment {
  return parseEnv(readDotEnvText(path));
}

/** The text of a file `.env`; empty without the file. @throws UnreadableFileError */
export function readDotEnvText(path: string): string {
  try {
    return readTextFile(path);
  } catch (error) {
    if (error instanceof UnreadableFileError && error.isMissing) return '';
    throw error;
  }
}
