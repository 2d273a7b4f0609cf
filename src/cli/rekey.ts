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
import { exitCode, type Terminal } from '@tallyhook/platform/terminal/terminal';
import { loadDatabaseUrl, loadKeySources } from '../../config/load.ts';
import { rekey } from '../features/settings/rekey.ts';
import { withStore } from './open-database.ts';

export async function encryptAgain({ json }: { json?: boolean }, terminal: Terminal): Promise<number> {
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
}

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
