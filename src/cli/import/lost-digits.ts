import { TallyhookError } from '@tallyhook/platform/errors';
import { type Fields, type FileOptions, readRows } from './read-rows.ts';

/*
 * Ids whose last digits are lost belong to nobody, or to somebody else. Spreadsheets keep 15 digits of a number, and
 * programs that read ids as floating-point numbers about 16. One such id can be genuine, so that what decides is how many
 * there are: the test refuses less than one of 30,000 genuine files, and of those with three members less than one of
 * 100,000; for the zeros of a spreadsheet it is one of a million.
 */

/** Returns whether an id is written as a number with a fraction or an exponent: its digits are certainly lost. */
export function isWrittenAsNumber(text: string): boolean {
  const [, number = '', exponent = ''] = /^(\d{1,20}(?:[.,]\d{1,20})?)( ?e ?\+?\d{1,3})?$/i.exec(text) ?? [];
  if (exponent === '' && !/[.,]0+$/.test(number)) return false;
  return Number(`${number.replace(',', '.')}${exponent.replaceAll(' ', '')}`) >= minId;
}

/** Ids of Discord have 16 digits and more. */
const minId = 1e15;
/** Digits that a spreadsheet keeps. */
const spreadsheetDigits = 15;
/** Genuine files are refused with at most this probability, for each of the ways to lose digits. */
const maxProbability = 1e-5;
/** Members from whom on it can be clear. */
const minMembers = 3;
/** Maximum number of different ids that decide, the first ones, so that memory does not depend on the size of the file. */
const maxIds = 200_000;
/** Ids that look so by chance more often than this say little. */
const maxChance = 1 / 16;
/** Bits of the counter at the end of an id. Those of the first years are often 0, and such an id is a double as it is: it says nothing. */
const counterBits = 12n;

/** The ways in which an id can have lost digits, each with the probability that a genuine one looks so. */
const ways = {
  spreadsheet(id: string, value: bigint) {
    const lost = id.length - spreadsheetDigits;
    return { probability: 10 ** -lost, isSeen: lost > 0 && value % 10n ** BigInt(lost) === 0n };
  },
  /** As a program prints a double: its shortest digits, and zeros. */
  printed: (id: string) => ({ probability: 1 / spacing(id), isSeen: String(Number(id)) === id }),
  /** The double itself. */
  double: (id: string, value: bigint) => ({ probability: 1 / spacing(id), isSeen: BigInt(Number(id)) === value }),
};

/** How far doubles of this size are apart. */
function spacing(id: string): number {
  return 2 ** Math.max(0, Math.floor(Math.log2(Number(id))) - 52);
}

/** Collects ids, and says which have lost digits. */
export function createLostDigits() {
  const seen = new Set<number>();
  const certain: string[] = [];
  const sums = Object.values(ways).map((way) => ({
    way,
    expected: 0,
    all: 1,
    found: 0,
    members: 0,
    examples: [] as string[],
  }));

  return {
    add(id: string): void {
      if (isWrittenAsNumber(id)) {
        if (certain.length < maxExamples) certain.push(id);
        return;
      }
      if (!/^\d{16,20}$/.test(id) || seen.size >= maxIds || seen.has(Number(id))) return;
      seen.add(Number(id));
      const value = BigInt(id);
      if (value % 2n ** counterBits === 0n) return;
      for (const sum of sums) {
        const { probability, isSeen } = sum.way(id, value);
        if (probability > maxChance) continue;
        sum.members += 1;
        sum.expected += probability;
        sum.all *= probability;
        if (!isSeen) continue;
        sum.found += 1;
        if (sum.examples.length < maxExamples) sum.examples.push(id);
      }
    },
    /** Some of the ids that have lost digits; empty if there are none. */
    examples(): readonly string[] {
      if (certain.length > 0) return certain;
      const clear = sums.find((sum) => sum.found >= minMembers && probabilityOf(sum) <= maxProbability);
      return clear?.examples ?? [];
    },
  };
}

const maxExamples = 3;

/** How probable so many are in a genuine file: a bound of Chernoff, or the product if it is all of them. */
function probabilityOf({ found, members, expected, all }: Record<'found' | 'members' | 'expected' | 'all', number>) {
  if (found <= expected) return 1;
  const bound = Math.exp(found - expected - found * Math.log(found / expected));
  return found === members ? Math.min(all, bound) : bound;
}

/**
 * @param options.readId the id of a row
 * @throws TallyhookError `invalid_import_file` if the ids of the files have lost digits
 */
export async function rejectLostDigits(
  files: readonly string[],
  options: FileOptions & { readonly readId: (fields: Fields) => string },
): Promise<void> {
  const ids = createLostDigits();
  for (const file of files) {
    for await (const { rows } of readRows(file, options))
      for (const { fields } of rows) ids.add(options.readId(fields));
  }
  const examples = ids.examples();
  if (examples.length > 0) throw lostDigitsError(examples);
}

export function lostDigitsError(examples: readonly string[]): TallyhookError {
  const problem =
    `The ids of members have lost their last digits: ${examples.join(', ')}. A spreadsheet does that to numbers of ` +
    'more than 15 digits, and a program that reads ids as floating-point numbers. Nothing was imported.';
  return new TallyhookError('invalid_import_file', problem, {
    hint:
      'The digits are gone from this file: export it again, and import it without opening it in a spreadsheet, or open ' +
      'it there with the column as text (Excel: Data → From Text/CSV → Transform → Text).',
  });
}
