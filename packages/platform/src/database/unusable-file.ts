import { statSync } from 'node:fs';
import { damagedDatabaseHint } from '../damaged-database.ts';

/**
 * A hint for a database file that cannot be used: that of {@link damagedDatabaseHint}, or that a folder is in its
 * place. @param path of the file
 */
export function unusableFileHint(cause: unknown, path: string, program?: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
    return (
      `${path} is a folder, not a file: Docker creates one when the file of a bind mount does not exist. Mount the ` +
      'folder of the database instead, or correct its path.'
    );
  }
  return damagedDatabaseHint(cause, path, program);
}
