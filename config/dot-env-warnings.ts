import { parseEnv } from 'node:util';
import type { ConfigIssue } from '@tallyhook/platform/invalid-config-error';
import { readDotEnvText } from './environment.ts';
import type { Setting } from './settings/setting.ts';
import { settings } from './settings.ts';

/** Secrets in the file `.env` that end at a `#`, which begins a comment unless the value is in quotation marks. */
export function dotEnvWarnings(path = '.env'): ConfigIssue[] {
  const text = readDotEnvText(path);
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
