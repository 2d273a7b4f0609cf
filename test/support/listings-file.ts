import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConfigIssue, InvalidConfigError } from '@tallyhook/platform/invalid-config-error';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { loadConfig } from '../../config/load.ts';
import { botToken } from './bot-token.ts';

/** A listing of the file with all required values. */
export const harbour = { name: 'harbour', kind: 'server', id: '1000', lookupKey: 'key-for-tests' };

/** Environment variables of a program with these listings in the file of `TALLYHOOK_CONFIG`, and files beside it. */
export function environmentWith(
  listings: readonly object[],
  files: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const directory = tempDir();
  const path = join(directory, 'listings.json');
  writeFileSync(path, JSON.stringify({ listings }), { mode: 0o600 });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content, { mode: 0o600 });
  return {
    DISCORD_TOKEN: botToken,
    LOOKUP_BASE_URL: 'https://lists.example/api/v1',
    TALLYHOOK_CONFIG: path,
  };
}

/** The issues of these settings; none if they are valid. */
export function issuesOf(environment: Readonly<Record<string, string>>): readonly ConfigIssue[] {
  try {
    loadConfig(environment);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidConfigError)) throw error;
    return error.issues;
  }
}
