import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, TallyhookError } from '../platform/errors.ts';
import { type EncryptionKey, generateKeyText, parseEncryptionKey } from './encryption-key.ts';

const privateMode = 0o600;
/** Mode bits of all users other than the owner and the group. */
const otherUsers = 0o007;

/** The key file cannot be used. */
export class KeyFileError extends TallyhookError {
  constructor(message: string, hint: string, cause?: unknown) {
    super('key_file_unusable', message, { hint, ...(cause !== undefined && { cause }) });
  }
}

/** The key in a file; null if there is no such file. @throws KeyFileError */
export function readKeyFile(path: string): EncryptionKey | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw unreadable(path, error);
  }
  const key = parseEncryptionKey(text.trim());
  if (key === null) throw new KeyFileError(`${path} contains no key.`, 'Restore it from a copy.');
  if (process.platform !== 'win32' && (statSync(path).mode & otherUsers) !== 0) {
    throw new KeyFileError(`Every user of this machine can read ${path}.`, `Run \`chmod 600 ${path}\`.`);
  }
  return key;
}

/**
 * Creates a key file that only its owner can read, completely or not at all, and flushes it to disk before it returns.
 * If another process has created it meanwhile, returns the key of that one. @throws KeyFileError
 */
export function createKeyFile(path: string): EncryptionKey {
  const partial = `${path}.${process.pid}.partial`;
  try {
    rmSync(partial, { force: true });
    writeAndFlush(partial, `${generateKeyText()}\n`);
    // Unlike a rename, a link never replaces an existing key, with which everything would become unreadable.
    linkSync(partial, path);
    flushDirectory(path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw unwritable(path, error);
  } finally {
    rmSync(partial, { force: true });
  }
  const key = readKeyFile(path);
  if (key === null) throw unwritable(path, 'it disappeared');
  return key;
}

/** Replaces the key file `path` by the file `next`, which disappears. @throws KeyFileError */
export function replaceKeyFile(path: string, next: string): void {
  try {
    renameSync(next, path);
    flushDirectory(path);
  } catch (error) {
    throw unwritable(path, error);
  }
}

function writeAndFlush(path: string, text: string): void {
  const file = openSync(path, 'wx', privateMode);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Not every system can open a directory. */
function flushDirectory(path: string): void {
  let directory: number | undefined;
  try {
    directory = openSync(dirname(path), 'r');
    fsyncSync(directory);
  } catch {
    // Without it, only a power failure right now could lose the entry.
  } finally {
    if (directory !== undefined) closeSync(directory);
  }
}

function unreadable(path: string, cause: unknown): KeyFileError {
  const hint = 'Make sure that the user of the tallyhook process can read it.';
  return new KeyFileError(`The key file ${path} cannot be read (${codeOf(cause) ?? messageOf(cause)}).`, hint, cause);
}

function unwritable(path: string, cause: unknown): KeyFileError {
  const hint = 'Make sure that the user of the tallyhook process can write to this folder, or set SETTINGS_KEY.';
  return new KeyFileError(
    `The key file ${path} cannot be written (${codeOf(cause) ?? messageOf(cause)}).`,
    hint,
    cause,
  );
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
