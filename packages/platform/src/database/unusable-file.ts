import { statSync } from 'node:fs';
import { damagedDatabaseHint } from '../damaged-database.ts';

/** The same as {@link damagedDatabaseHint}, also for a folder in the place of the file. @param path of the file */
export function unusableFileHint(cause: unknown, path: string, program?: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
    return (
      `${path} is a folder, not a file: Docker creates one when the file of a bind mount does not exist. Mount the ` +
      'folder of the database instead, or correct its path.'
    );
  }
  return damagedDatabaseHint(cause, path, program);
}
