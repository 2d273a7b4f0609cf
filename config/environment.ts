import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** Variables by name, like `process.env`. An empty variable counts as unset. @category Start here */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The variables of the process, and for those that are missing the current content of the file `.env`, which is
 * optional. Throws what `readFileSync` throws if the file exists and cannot be read.
 */
export function readEnvironment(variables: Environment, path = '.env'): Environment {
  return { ...readDotEnv(path), ...variables };
}

function readDotEnv(path: string): Environment {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
}
