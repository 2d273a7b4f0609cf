import { TallyhookError } from '../platform/errors.ts';
import type { EncryptionKey } from './encryption-key.ts';
import { createKeyFile, readKeyFile } from './key-file.ts';
import { keyIdOf, type SealContext, SealedTextError, unseal } from './sealed-text.ts';

/** Where the keys are. */
export interface KeySources {
  /** SETTINGS_KEY, and NEW_SETTINGS_KEY, which is used for everything new while it is set; null if unset. */
  readonly key: EncryptionKey | null;
  readonly newKey: EncryptionKey | null;
  /** The path of the key file, which is created when a key is first needed and none is set; null for a database server. */
  readonly keyFile: string | null;
}

/** Suffix of the key file that `rekey` is about to use. */
export const nextKeyFileSuffix = '.next';

/** The key with which something was encrypted, or has to be encrypted, is not available. */
export class KeyMissingError extends TallyhookError {
  constructor({ key, keyFile }: KeySources) {
    const hint =
      key !== null
        ? 'Set SETTINGS_KEY to the key with which they were stored. During a rotation, also set NEW_SETTINGS_KEY.'
        : keyFile !== null
          ? `Restore the key file ${keyFile} from a copy, or set SETTINGS_KEY to the key.`
          : 'Set SETTINGS_KEY in every process to the same 32 random bytes, from `openssl rand -hex 32`.';
    super('settings_key_missing', 'The key of encrypted settings is missing.', { hint });
  }
}

/** Encrypts secrets at rest, with additional keys for reading during a rotation. */
export interface Encryption {
  /** Whether {@link seal} can work in a database without encrypted texts. */
  readonly canSeal: boolean;
  /**
   * The key for new texts. Creates the key file if the database has no encrypted text.
   * @param keyId of the database's current key; null if it has no encrypted text
   * @throws KeyMissingError, KeyFileError
   */
  keyFor(keyId: string | null): EncryptionKey;
  /** @throws KeyMissingError if the key is missing; SealedTextError; KeyFileError */
  open(sealed: string, context: SealContext): string;
}

/** @throws KeyFileError if the key file exists and cannot be used */
export function createEncryption(sources: KeySources): Encryption {
  const { key, newKey, keyFile } = sources;
  const fromEnvironment = [newKey, key].filter((each) => each !== null);
  let fromFiles = readKeyFiles(keyFile);

  function find(id: string): EncryptionKey {
    const findLoaded = () => [...fromEnvironment, ...fromFiles].find((each) => each.id === id);
    const loaded = findLoaded();
    if (loaded !== undefined) return loaded;
    // Another process may have created or replaced it meanwhile.
    fromFiles = readKeyFiles(keyFile);
    const found = findLoaded();
    if (found === undefined) throw new KeyMissingError(sources);
    return found;
  }

  return {
    canSeal: fromEnvironment.length > 0 || keyFile !== null,
    keyFor(keyId) {
      if (keyId !== null) return find(keyId);
      const [first] = fromEnvironment;
      if (first !== undefined) return first;
      if (keyFile === null) throw new KeyMissingError(sources);
      const created = readKeyFile(keyFile) ?? createKeyFile(keyFile);
      fromFiles = [created];
      return created;
    },
    open(sealed, context) {
      const id = keyIdOf(sealed);
      if (id === null) throw new SealedTextError();
      return unseal(find(id), sealed, context);
    },
  };
}

function readKeyFiles(path: string | null): EncryptionKey[] {
  if (path === null) return [];
  return [readKeyFile(path), readKeyFile(`${path}${nextKeyFileSuffix}`)].filter((each) => each !== null);
}
