import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Environment } from './read-values.ts';

/**
 * The environment that the process was given, and for what it leaves out the file `.env` as it is at this moment. Without such a file it
 * is the former alone. Throws what `readFileSync` throws for a file that is there and cannot be read.
 */
export function readEnvironment(given: Environment, path = '.env'): Environment {
  return { ...dotEnv(path), ...given };
}

function dotEnv(path: string): Environment {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
}
