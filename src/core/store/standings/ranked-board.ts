import type { RankedMember } from '../../ledger/standing.ts';
import { increment, type ScoreTable } from './score-table.ts';

/** One leaderboard over a table of scores. */
export type RankedBoard = Awaited<ReturnType<typeof rankBoard>>;

/** Sorts the members with a score by counting how many have each one, in short slices. */
export async function rankBoard(table: ScoreTable) {
  const { scores } = table;
  const rowsByAge = await table.byAge();
  const { counts, numbers, numbersOfRows } = await countScores(table);
  const distinct = Float64Array.from(numbers.keys()).sort().reverse();
  /** The first place of each score, by its number. */
  const starts = new Uint32Array(counts.length);
  let total = 0;
  let sum = 0;
  for (const score of distinct) {
    const number = numbers.get(score) ?? 0;
    starts[number] = total;
    total += counts[number] ?? 0;
    sum += score * (counts[number] ?? 0);
  }
  const order = await sortRows();

  /** Each score begins at its first place, and its members follow by age. */
  async function sortRows(): Promise<Uint32Array> {
    const rows = new Uint32Array(total);
    const nextPlaces = starts.slice();
    await table.inSlices((from, to) => {
      for (let index = from; index < to; index += 1) {
        const row = rowsByAge[index] ?? 0;
        const number = numbersOfRows[row] ?? 0;
        if (number !== noScore) rows[increment(nextPlaces, number)] = row;
      }
    });
    return rows;
  }

  /** How many members have a greater score. */
  function countAbove(score: number): number {
    let [low, high] = [0, distinct.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((distinct[middle] ?? 0) > score) low = middle + 1;
      else high = middle;
    }
    return low < distinct.length ? (starts[numbers.get(distinct[low] ?? 0) ?? 0] ?? 0) : total;
  }

  /** How many members have this score, which somebody has, or a greater one. */
  function countFrom(score: number): number {
    const number = numbers.get(score) ?? noScore;
    return (starts[number] ?? 0) + (counts[number] ?? 0);
  }

  function memberAt(row: number): RankedMember {
    const score = scores[row] ?? 0;
    return { userId: table.userIdAt(row), score, rank: countAbove(score) + 1 };
  }

  return {
    /** How many members have a score. */
    total,
    /** All scores together. */
    sum,
    countAbove,
    countFrom,
    /** Of equals the older Discord account is first. */
    members: (offset: number, limit: number) => Array.from(order.subarray(offset, offset + limit), memberAt),
    /** A member with their place, counted from 0; null without a score. */
    find(userId: string) {
      const row = rowsByAge[table.find(userId, rowsByAge)];
      const number = row === undefined ? noScore : (numbersOfRows[row] ?? noScore);
      if (row === undefined || number === noScore) return null;
      const first = starts[number] ?? 0;
      const place = table.find(userId, order, first, first + (counts[number] ?? 0));
      return { ...memberAt(row), place };
    },
  };
}

/** The number of a row without a score. */
const noScore = 0;

/** Gives each score a number, and counts the members with it. A look-up per row is what takes the time. */
async function countScores(table: ScoreTable) {
  const { scores } = table;
  const numbers = new Map<number, number>();
  const counts = [0];
  const numbersOfRows = new Uint32Array(table.size);
  await table.inSlices((from, to) => {
    for (let row = from; row < to; row += 1) {
      const score = scores[row] ?? 0;
      if (score <= 0) continue;
      const number = numbers.get(score) ?? counts.push(0) - 1;
      if (increment(counts, number) === 0) numbers.set(score, number);
      numbersOfRows[row] = number;
    }
  });
  return { counts, numbers, numbersOfRows };
}
