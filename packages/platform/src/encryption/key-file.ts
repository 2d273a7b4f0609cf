import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { privateMode } from '../create-private-file.ts';
import { codeOf, messageOf, TallyhookError } from '../errors.ts';
import { readTextFile, UnreadableFileError } from '../text-file.ts';
import { type EncryptionKey, generateKeyText, parseEncryptionKey } from './encryption-key.ts';

/** A key has less than a hundred characters (bytes). */
const maxKeyFileSize = 64 * 1024;
/** Mode bits of all users other than the owner and the group. */
const otherUsers = 0o007;

/** An issue of a key file. In sentences, with its path: for the operator alone. */
export interface KeyFileIssue {
  readonly path: string;
  readonly problem: string;
  readonly hint: string;
}

/**
 * A key file as it is now. `exposed`: every user of this machine can read it. `unusable`: it cannot be read, or
 * contains no key.
 */
export type KeyFile =
  | { readonly state: 'missing' }
  | { readonly state: 'private'; readonly key: EncryptionKey }
  | { readonly state: 'exposed'; readonly key: EncryptionKey; readonly issue: KeyFileIssue }
  | { readonly state: 'unusable'; readonly issue: KeyFileIssue };

/** The key file cannot be used or written. */
export class KeyFileError extends TallyhookError {
  constructor(message: string, hint: string, cause?: unknown) {
    super('key_file_unusable', message, { hint, ...(cause !== undefined && { cause }) });
  }
}

/** Never throws, and changes nothing. */
export function readKeyFile(path: string): KeyFile {
  let text: string;
  let mode: number;
  try {
    text = readTextFile(path, maxKeyFileSize).trim();
    ({ mode } = statSync(path));
  } catch (error) {
    const isUnreadable = error instanceof UnreadableFileError;
    if (isUnreadable ? error.isMissing : codeOf(error) === 'ENOENT') return { state: 'missing' };
    const reason = isUnreadable ? error.problem : `cannot be read (${codeOf(error) ?? messageOf(error)})`;
    const problem = `The key file ${path} ${reason}.`;
    const hint = isUnreadable ? `${error.hint} Then restart tallyhook.` : 'Restart tallyhook.';
    return { state: 'unusable', issue: { path, problem, hint } };
  }
  const key = parseEncryptionKey(text);
  if (key === null) {
    const problem = `The key file ${path} ${text === '' ? 'is empty' : 'contains no key'}.`;
    const hint = 'Restore it from a copy and restart, or set the settings key (SETTINGS_KEY) to it.';
    return { state: 'unusable', issue: { path, problem, hint } };
  }
  if (process.platform === 'win32' || (mode & otherUsers) === 0) return { state: 'private', key };
  const problem = `Every user of this machine can read the key file ${path} (mode ${octal(mode)}).`;
  return { state: 'exposed', key, issue: { path, problem, hint: `Run \`chmod 600 ${path}\`.` } };
}

/**
 * Reads a key file, and takes the permissions of other users away if it belongs to the user of this process, such as
 * after `cp` or `docker cp`. Never throws.
 */
export function readAndRestrictKeyFile(path: string): KeyFile {
  const file = readKeyFile(path);
  if (file.state !== 'exposed' || !restrict(path)) return file;
  const problem = `Every user of this machine could read the key file ${path}. Now only its owner can (mode 0600).`;
  const hint = 'If other people use this machine, replace the key with `tallyhook rekey`.';
  return { ...file, issue: { path, problem, hint } };
}

function restrict(path: string): boolean {
  try {
    if (statSync(path).uid !== process.getuid?.()) return false;
    chmodSync(path, privateMode);
    return true;
  } catch {
    // Such as on a read-only file system.
    return false;
  }
}

/**
 * Creates a key file that only its owner can read, completely or not at all, and flushes it to disk before it returns.
 * Returns the key of an existing one, also if another process creates it meanwhile. @throws KeyFileError
 */
export function createKeyFile(path: string): EncryptionKey {
  if (existsSync(path)) return keyIn(path);
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
  return keyIn(path);
}

/** @throws KeyFileError unless the file has a key */
function keyIn(path: string): EncryptionKey {
  const file = readKeyFile(path);
  if (file.state === 'missing') throw unwritable(path, 'it disappeared');
  if (file.state === 'unusable') throw new KeyFileError(file.issue.problem, file.issue.hint);
  return file.key;
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

function unwritable(path: string, cause: unknown): KeyFileError {
  const hint =
    'Make sure that the user of the tallyhook process can write to this folder, or set the settings key (SETTINGS_KEY).';
  return new KeyFileError(
    `The key file ${path} cannot be written (${codeOf(cause) ?? messageOf(cause)}).`,
    hint,
    cause,
  );
}

function octal(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}
