import { parseEnv } from 'node:util';
import type { ConfigIssue } from '../src/platform/invalid-config-error.ts';
import { readTextFile, UnreadableFileError } from '../src/platform/text-file.ts';
import type { Setting } from './settings/setting.ts';
import { settings } from './settings.ts';

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

/** Secrets in the file `.env` that end at a `#`, which begins a comment unless the value is in quotation marks. */
export function dotEnvWarnings(path = '.env'): ConfigIssue[] {
  const text = readText(path);
  const values = parseEnv(text);
  return text.split(/\r?\n/).flatMap((line) => {
    const [, setting = '', value = ''] = /^\s*(?:export\s+)?(\w+)\s*=[ \t]*([^'"`\s].*)$/.exec(line) ?? [];
    const end = value.search(/(?<!\s)#/);
    if (end === -1 || !isSecretSetting(setting) || values[setting] !== value.slice(0, end).trim()) return [];
    const hint = `If it belongs to the value, write it in single quotes: ${setting}='…'.`;
    return [{ setting, problem: 'ends at a # in the file .env, which begins a comment there.', hint }];
  });
}

function isSecretSetting(name: string): boolean {
  const setting: Setting | undefined = Object.entries(settings).find(([each]) => each === name)?.[1];
  return setting?.secret === true;
}

function readDotEnv(path: string): Environment {
  return parseEnv(readText(path));
}

/** Empty without the file. */
function readText(path: string): string {
  try {
    return readTextFile(path);
  } catch (error) {
    if (error instanceof UnreadableFileError && error.isMissing) return '';
    throw error;
  }
}
