import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rankBoard } from '../../../../src/core/store/standings/ranked-board.ts';
import { ScoreTable } from '../../../../src/core/store/standings/score-table.ts';

type Member = readonly [userId: string, credits: number];

/** In the order of a database: by the text of the id. */
function tableOf(members: readonly Member[]): ScoreTable {
  const table = new ScoreTable();
  const sorted = members.toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (let from = 0; from < sorted.length; from += 10_000) {
    const slice = sorted.slice(from, from + 10_000);
    table.add(
      slice.map(([userId]) => userId).join(','),
      slice.map(([, credits]) => credits),
    );
  }
  return table;
}

/** Sorted by comparison, with the rank counted from the definition. */
function expected(members: readonly Member[]) {
  return members
    .filter(([, credits]) => credits > 0)
    .toSorted(([idA, a], [idB, b]) => b - a || Number(BigInt(idA) - BigInt(idB)))
    .map(([userId, score]) => ({ userId, score, rank: 1 + members.filter(([, other]) => other > score).length }));
}

it('ranks equal scores alike and skips the next rank; the older account is first', async () => {
  const board = await rankBoard(
    tableOf([
      ['300', 5],
      ['20', 7],
      ['3', 7],
      ['1000', 9],
      ['4', 0],
    ]),
  );
  expect(board.members(0, 9)).toEqual([
    { userId: '1000', score: 9, rank: 1 },
    { userId: '3', score: 7, rank: 2 },
    { userId: '20', score: 7, rank: 2 },
    { userId: '300', score: 5, rank: 4 },
  ]);
  expect(board.members(1, 2).map(({ userId }) => userId)).toEqual(['3', '20']);
  expect(board.members(4, 2)).toEqual([]);
  expect(board.find('20')).toEqual({ userId: '20', score: 7, rank: 2, place: 2 });
  expect([board.find('4'), board.find('21'), board.find('99999999999999999999')]).toEqual([null, null, null]);
  expect([10, 9, 8, 7, 6, 5, 1, 0].map(board.countAbove)).toEqual([0, 0, 1, 1, 3, 3, 4, 4]);
});

it('agrees with a sort of all members, whatever their ids and scores', async () => {
  const id = fc.bigInt({ min: 1n, max: 99_999_999_999_999_999_999n }).map(String);
  const credits = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }));
  const members = fc.uniqueArray(fc.tuple(id, credits), { selector: ([userId]) => userId, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(members, async (all) => {
      const board = await rankBoard(tableOf(all));
      const sorted = expected(all);
      expect(board.members(0, all.length)).toEqual(sorted);
      expect(board.total).toBe(sorted.length);
      for (const [place, member] of sorted.entries()) expect(board.find(member.userId)).toEqual({ ...member, place });
    }),
  );
});

it('sorts more members than fit into a slice', async () => {
  const members = Array.from({ length: 25_000 }, (_, index): Member => {
    return [String(10 ** (2 + (index % 9)) + index), (index * 7_919) % 3_001];
  });
  const board = await rankBoard(tableOf(members));
  const sorted = members
    .filter(([, credits]) => credits > 0)
    .toSorted(([idA, a], [idB, b]) => b - a || Number(idA) - Number(idB));
  expect(board.total).toBe(sorted.length);
  expect(board.members(0, sorted.length).map(({ userId }) => userId)).toEqual(sorted.map(([userId]) => userId));
});
