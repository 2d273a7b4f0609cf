import { TallyhookError } from '../errors.ts';
import type { EncryptionKey } from './encryption-key.ts';
import { createKeyFile, type KeyFileIssue, readAndRestrictKeyFile, readKeyFile } from './key-file.ts';
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

/** The paths at which a key file may be. */
export function keyFilesOf({ keyFile }: Pick<KeySources, 'keyFile'>): string[] {
  return keyFile === null ? [] : [keyFile, `${keyFile}${nextKeyFileSuffix}`];
}

/** The key with which something was encrypted, or has to be encrypted, is not available. */
export class KeyMissingError extends TallyhookError {
  /** @param issues of key files that exist and cannot be used */
  constructor({ key, keyFile }: KeySources, [issue]: readonly KeyFileIssue[] = []) {
    const hint = issue === undefined ? hintWithoutKey(key, keyFile) : `${issue.problem} ${issue.hint}`;
    super('settings_key_missing', 'The key of encrypted settings is missing.', { hint });
  }
}

function hintWithoutKey(key: EncryptionKey | null, keyFile: string | null): string {
  if (key !== null) {
    return 'Set the settings key (SETTINGS_KEY) to the key with which they were stored. During a rotation, also set the new one.';
  }
  return keyFile !== null
    ? `Restore the key file ${keyFile} from a copy and restart, or set the settings key (SETTINGS_KEY) to it.`
    : 'Set the settings key (SETTINGS_KEY) in every process to the same 32 random bytes, from `openssl rand -hex 32`.';
}

export type Encryption = ReturnType<typeof createEncryption>;

/**
 * Encrypts secrets at rest, with additional keys for reading during a rotation. A key file that cannot be used counts as
 * missing: what needs no key of it works.
 * @param onIssue called once for each issue of a key file. Without it, a key file that others can read is left as it is
 */
export function createEncryption(sources: KeySources, onIssue: ((issue: KeyFileIssue) => void) | null = null) {
  const { key, newKey, keyFile } = sources;
  const fromEnvironment = [newKey, key].filter((each) => each !== null);
  /** Keys of files by id, also of files that were replaced or damaged since. */
  const fromFiles = new Map<string, EncryptionKey>();
  const reported = new Set<string>();
  const read = onIssue === null ? readKeyFile : readAndRestrictKeyFile;

  /** Returns the issues of files that cannot be used. */
  function readKeyFiles(): KeyFileIssue[] {
    const unusable: KeyFileIssue[] = [];
    for (const path of keyFilesOf(sources)) {
      const file = read(path);
      if ('key' in file) fromFiles.set(file.key.id, file.key);
      if ('issue' in file) report(file.issue);
      if (file.state === 'unusable') unusable.push(file.issue);
    }
    return unusable;
  }

  function report(issue: KeyFileIssue): void {
    if (reported.has(issue.problem)) return;
    reported.add(issue.problem);
    onIssue?.(issue);
  }

  function find(id: string): EncryptionKey {
    const findLoaded = () => fromEnvironment.find((each) => each.id === id) ?? fromFiles.get(id);
    const loaded = findLoaded();
    if (loaded !== undefined) return loaded;
    // Another process may have created or replaced it meanwhile.
    const issues = readKeyFiles();
    const found = findLoaded();
    if (found === undefined) throw new KeyMissingError(sources, issues);
    return found;
  }

  readKeyFiles();
  return {
    /** True if {@link seal} can work in a database without encrypted texts. */
    canSeal: fromEnvironment.length > 0 || keyFile !== null,
    /**
     * The key for new texts. Creates the key file if the database has no encrypted text.
     * @param keyId of the database's current key; null if it has no encrypted text
     * @throws KeyMissingError, KeyFileError
     */
    keyFor(keyId: string | null): EncryptionKey {
      if (keyId !== null) return find(keyId);
      const [first] = fromEnvironment;
      if (first !== undefined) return first;
      if (keyFile === null) throw new KeyMissingError(sources);
      // The key of an existing file, which is never replaced: it may be the one of a backup.
      const created = createKeyFile(keyFile);
      fromFiles.set(created.id, created);
      return created;
    },
    /** @throws KeyMissingError if the key is missing; SealedTextError; KeyFileError */
    open(sealed: string, context: SealContext): string {
      const id = keyIdOf(sealed);
      if (id === null) throw new SealedTextError();
      return unseal(find(id), sealed, context);
    },
  };
}
