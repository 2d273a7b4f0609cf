import type { KeySources } from '@tallyhook/platform/encryption/encryption';
import { parseEncryptionKey } from '@tallyhook/platform/encryption/encryption-key';
import type { Values } from './settings.ts';

/** Suffix of the key file beside the SQLite database. */
const keyFileSuffix = '.key';

/** The keys of secrets in the database. A database server has no key file. */
export function keySourcesOf({ SETTINGS_KEY, NEW_SETTINGS_KEY, DATABASE_URL = '' }: Partial<Values>): KeySources {
  const [scheme, path] = DATABASE_URL.split(/:(.*)/s);
  return {
    key: SETTINGS_KEY === undefined ? null : parseEncryptionKey(SETTINGS_KEY),
    newKey: NEW_SETTINGS_KEY === undefined ? null : parseEncryptionKey(NEW_SETTINGS_KEY),
    keyFile: scheme === 'sqlite' && path ? `${path}${keyFileSuffix}` : null,
  };
}

/** Whether secrets can be stored in the database, so that listings can be linked in Discord. */
export function mayStoreSecrets(values: Partial<Values>): boolean {
  return Object.values(keySourcesOf(values)).some((source) => source !== null);
}
