import { TallyhookError } from '../../platform/errors.ts';

/** Maximum length of one row of a file (characters). */
export const maxRowLength = 1_000_000;

/** A file that cannot be read as what it is. @param line counted from 1 */
export function invalidFile(line: number, problem: string, hint: string): TallyhookError {
  return new TallyhookError('invalid_import_file', `The row on line ${line} ${problem}.`, { hint });
}
