import { dirname, resolve } from 'node:path';
import { describeConnectionError } from '@tallyhook/platform/database/connection-error';
import { sqlitePathOf } from '@tallyhook/platform/database/database-url';
import { unusableFileHint } from '@tallyhook/platform/database/unusable-file';
import { codeOf, messageOf, TallyhookError } from '@tallyhook/platform/errors';

/** The database cannot be opened: unreachable server, no permission, or not a database file. */
export class CannotOpenDatabaseError extends TallyhookError {
  constructor(cause: unknown, url: string) {
    const path = sqlitePathOf(url);
    const reason = path === null ? describeConnectionError(cause, url) : messageOf(cause) || String(cause);
    super('cannot_open_database', `The database cannot be opened: ${reason}.`, { cause, hint: hintFor(cause, path) });
  }
}

/** @param path of the SQLite file; null with PostgreSQL */
function hintFor(cause: unknown, path: string | null): string {
  if (path === null) return 'Check its address: the server must run, and accept the user and the password.';
  const hint = unusableFileHint(cause, path);
  if (hint !== undefined) return hint;
  return isWriteRefused(cause)
    ? ownershipHint(dirname(resolve(path)))
    : 'Check its path: its folder must exist and be writable.';
}

/** EACCES and so on of the file system; READONLY of SQLite (sqlite.org/rescode.html). */
function isWriteRefused(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  if (['EACCES', 'EPERM', 'EROFS'].includes(codeOf(cause) ?? '')) return true;
  return 'errcode' in cause && (Number(cause.errcode) & 0xff) === 8;
}

/** Volumes of containers often belong to root, and the program does not run as root. */
function ownershipHint(folder: string): string {
  const user = process.getuid?.();
  const owner = user === undefined ? 'the user of this process' : `${user}:${process.getgid?.() ?? user}`;
  return (
    `${folder} and the files in it must be writable for the user of this process. As root, run: ` +
    `chown -R ${owner} ${folder}. In a container this is the folder or volume that is mounted there.`
  );
}
