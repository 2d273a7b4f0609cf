import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { closest } from '../did-you-mean.ts';
import { TallyhookError } from '../errors.ts';
import { makeDirectory } from '../make-directory.ts';

/** The folder of the default path, which nobody has to create first. */
const defaultName = 'data';

/**
 * Creates the folder of a SQLite file if it is named like the default one. Any other that does not exist is likely to be
 * mistyped, and a new, empty database in it would be taken for the loss of all votes. Throws what `node:fs` throws.
 * @throws TallyhookError `cannot_open_database`
 */
export function prepareDatabaseDirectory(path: string): void {
  const directory = dirname(resolve(path));
  if (existsSync(directory)) return;
  if (basename(directory) === defaultName && existsSync(dirname(directory))) {
    makeDirectory(directory);
    return;
  }
  const meant = similarDirectory(directory);
  throw new TallyhookError('cannot_open_database', `The folder ${directory} of the database does not exist.`, {
    hint: `${meant === null ? '' : `Did you mean ${meant}? `}Correct the path, or create the folder first.`,
  });
}

/** One with a similar name beside the first missing folder; null without any. */
function similarDirectory(directory: string): string | null {
  const parent = dirname(directory);
  if (!existsSync(parent)) return parent === directory ? null : similarDirectory(parent);
  const names = readdirSync(parent, { withFileTypes: true }).flatMap((each) => (each.isDirectory() ? [each.name] : []));
  const meant = closest(basename(directory), names);
  return meant === undefined ? null : join(parent, meant);
}
