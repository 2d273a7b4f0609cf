import { existsSync } from 'node:fs';
import { formatCount } from '@tallyhook/platform/durations';
import {
  createEncryption,
  KeyMissingError,
  type KeySources,
  nextKeyFileSuffix,
} from '@tallyhook/platform/encryption/encryption';
import type { EncryptionKey } from '@tallyhook/platform/encryption/encryption-key';
import { createKeyFile, replaceKeyFile } from '@tallyhook/platform/encryption/key-file';
import { command } from '@tallyhook/platform/terminal/command';
import { exitCode } from '@tallyhook/platform/terminal/terminal';
import { loadDatabaseUrl, loadKeySources } from '../../config/load.ts';
import { rekey } from '../features/settings/rekey.ts';
import { withStore } from './open-database.ts';

const help = `tallyhook rekey: encrypt the secrets in the database (those of /setup, and the tokens of members with
linked roles) with another key, while tallyhook runs

Usage
  tallyhook rekey [options]

Options
  --json   print the result as a JSON object: {key, rekeyed}
  --help   print this help

The new key is NEW_SETTINGS_KEY (or the file NEW_SETTINGS_KEY_FILE), from \`openssl rand -hex 32\`; if it is not set,
SETTINGS_KEY, if the database has another key; otherwise, with SQLite, a new key file, which replaces the one beside the
database. The earlier key has to be available: in SETTINGS_KEY, or in the key file.

With SETTINGS_KEY, set NEW_SETTINGS_KEY in every process first and restart them: they accept both keys. Run this command,
then set SETTINGS_KEY to the new key and remove NEW_SETTINGS_KEY. A process without the new key keeps what it has read,
cannot store or read secrets any more, and logs that. Processes that use a key file find the new one themselves.

It can be interrupted and run again. Keep a copy of the old key as long as you keep backups from before.

Exit codes: 0 all secrets have the new key, 1 runtime error, 2 invalid usage or settings.`;

export const rekeyCommand = command({
  help,
  options: { json: { type: 'boolean', default: false } },
  async run({ values: { json } }, terminal) {
    const sources = loadKeySources(process.env);
    return withStore(loadDatabaseUrl(process.env), async (store) => {
      const { keyId } = await store.settings.state();
      const key = newKeyOf(sources, keyId);
      const total = await rekey({
        store: store.rekey,
        key,
        stop: terminal.stop,
        encryption: createEncryption(sources, ({ problem, hint }) => terminal.printError(`${problem} ${hint}`)),
        onProgress: (values) => terminal.printError(`${formatCount(values, 'secret')} …`),
      });
      const next = nextKeyFileOf(sources);
      if (sources.keyFile !== null && next !== null && existsSync(next)) replaceKeyFile(sources.keyFile, next);
      terminal.print(
        json
          ? JSON.stringify({ key: key.id, rekeyed: total })
          : `All secrets have the key ${key.id}: ${formatCount(total, 'secret')} encrypted again.`,
      );
      return exitCode.ok;
    });
  },
});

/** @throws KeyMissingError if there is no place for a new key */
function newKeyOf(sources: KeySources, keyId: string | null): EncryptionKey {
  const { key, newKey } = sources;
  if (newKey !== null) return newKey;
  if (key !== null && key.id !== keyId) return key;
  const next = key === null ? nextKeyFileOf(sources) : null;
  if (next === null) throw new KeyMissingError(sources);
  // An interrupted run continues with the key that it has created.
  return createKeyFile(next);
}

function nextKeyFileOf({ keyFile }: KeySources): string | null {
  return keyFile === null ? null : `${keyFile}${nextKeyFileSuffix}`;
}
