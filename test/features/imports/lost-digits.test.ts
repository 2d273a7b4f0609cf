import { describe, expect, it } from 'vitest';
import { createLostDigits } from '../../../src/cli/import/interpret-row.ts';

function examplesIn(ids: readonly string[]): readonly string[] {
  const digits = createLostDigits();
  for (const id of ids) digits.add(id);
  return digits.examples();
}

/** The same sequence each time (mulberry32). */
function createRandom(seed: number) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** An id of a time since Discord began. @param counter of its last 22 bits */
function idAt(days: number, counter: number): string {
  return String((BigInt(Math.floor(days * 86_400_000)) << 22n) + BigInt(Math.floor(counter)));
}

const random = createRandom(7);
const genuine = (count: number) => Array.from({ length: count }, () => idAt(30 + random() * 4_300, random() * 2 ** 22));
/** As in the first years: the counter begins at 0 again and again. */
const old = (count: number) => Array.from({ length: count }, () => idAt(30 + random() * 700, 0));

const bySpreadsheet = (id: string) => `${id.slice(0, 15)}${'0'.repeat(id.length - 15)}`;
const byJavaScript = (id: string) => String(Number(id));
const byPython = (id: string) => BigInt(Number(id)).toString();

describe('ids that have lost their last digits', () => {
  it.each([
    ['a spreadsheet', bySpreadsheet],
    ['a program that prints doubles', byJavaScript],
    ['a program that converts doubles to whole numbers', byPython],
  ])('are found if all have passed through %s', (_name, lose) => {
    for (let round = 0; round < 100; round += 1) expect(examplesIn(genuine(8).map(lose))).not.toEqual([]);
  });

  it('are found from three members on after a spreadsheet, however often each of them occurs', () => {
    const ids = ['613425648685547000', '204255221017215000', '80351110224679000'];
    expect(examplesIn(ids)).toEqual(ids);
    expect(examplesIn(ids.slice(1))).toEqual([]);
    expect(examplesIn(['613425648685547000', '613425648685547000', '613425648685547000'])).toEqual([]);
  });

  it('are found beside as many good ones', () => {
    expect(examplesIn([...genuine(40), ...genuine(10).map(bySpreadsheet)])).not.toEqual([]);
    expect(examplesIn([...genuine(5_000), ...genuine(100).map(bySpreadsheet)])).not.toEqual([]);
  });

  it.each(['6.13E+17', '6,13425E+17', '6.13425648685547e17', '613425648685547520.0', '6.13 E+17'])(
    'are found in a single row that is written as a number: %s',
    (id) => expect(examplesIn([...genuine(1_000), id])).toEqual([id]),
  );

  it('are not seen in genuine files, of any size and age', () => {
    // 5,000 files, of which less than one of 30,000 is refused.
    const refused = [3, 4, 5, 10, 100].flatMap((size) =>
      Array.from({ length: 1_000 }, () => genuine(size)).filter((ids) => examplesIn(ids).length > 0),
    );
    expect(refused).toEqual([]);
    for (const size of [3, 10, 1_000]) expect(examplesIn(old(size))).toEqual([]);
    expect(examplesIn(genuine(20_000))).toEqual([]);
    expect(examplesIn(['abc', '', '1e3', '12.0', '1234'])).toEqual([]);
  });
});
