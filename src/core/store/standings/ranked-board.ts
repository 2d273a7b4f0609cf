import type { RankedMember } from '../../ledger/standing.ts';
import type { ScoreName, ScoreTable } from './score-table.ts';

/** One leaderboard over a table of scores. */
export interface RankedBoard {
  /** How many members have a score. */
  readonly total: number;
  /** How many members have a greater score. */
  countAbove(score: number): number;
  /** Of equals the older Discord account is first. */
  members(offset: number, limit: number): RankedMember[];
  /** A member with their place, counted from 0; null without a score. */
  find(userId: string): (RankedMember & { readonly place: number }) | null;
}

/** Sorts the members with a score by counting how many have each one, in short slices. */
export async function rankBoard(table: ScoreTable, name: ScoreName): Promise<RankedBoard> {
  const scores = table.scores(name);
  const rowsByAge = await table.byAge();
  const counts = new Map<number, number>();
  await table.inSlices((from, to) => {
    for (const score of scores.subarray(from, to)) if (score > 0) counts.set(score, (counts.get(score) ?? 0) + 1);
  });
  const distinct = Float64Array.from(counts.keys()).sort().reverse();
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  /** The first place of each score. */
  const starts = new Map<number, number>();
  let start = 0;
  for (const score of distinct) {
    starts.set(score, start);
    start += counts.get(score) ?? 0;
  }
  const order = await sortRows();

  /** Each score begins at its first place, and its members follow by age. */
  async function sortRows(): Promise<Uint32Array> {
    const rows = new Uint32Array(total);
    const nextPlaces = new Map(starts);
    await table.inSlices((from, to) => {
      for (const row of rowsByAge.subarray(from, to)) {
        const score = scores[row] ?? 0;
        const place = nextPlaces.get(score);
        if (place === undefined) continue;
        rows[place] = row;
        nextPlaces.set(score, place + 1);
      }
    });
    return rows;
  }

  function countAbove(score: number): number {
    let [low, high] = [0, distinct.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((distinct[middle] ?? 0) > score) low = middle + 1;
      else high = middle;
    }
    return low < distinct.length ? (starts.get(distinct[low] ?? 0) ?? 0) : total;
  }

  function memberAt(row: number): RankedMember {
    const score = scores[row] ?? 0;
    return { userId: table.userIdAt(row), score, rank: countAbove(score) + 1 };
  }

  return {
    total,
    countAbove,
    members: (offset, limit) => Array.from(order.subarray(offset, offset + limit), memberAt),
    find(userId) {
      const row = rowsByAge[table.find(userId, rowsByAge)];
      const score = row === undefined ? 0 : (scores[row] ?? 0);
      const first = starts.get(score);
      if (row === undefined || first === undefined) return null;
      const place = table.find(userId, order, first, first + (counts.get(score) ?? 0));
      return { ...memberAt(row), place };
    },
  };
}
