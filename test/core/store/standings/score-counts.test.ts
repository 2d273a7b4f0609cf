import fc from 'fast-check';
import { expect, it } from 'vitest';
import { scoreCounts } from '../../../../src/core/store/standings/standings.ts';

function countsOf(scores: readonly number[]) {
  return scoreCounts(new Map(scores.map((score) => [score, scores.filter((other) => other === score).length])));
}

it('counts who is above a score, and has the score of each place', () => {
  const counts = countsOf([5, 7, 7, 9]);
  expect([10, 9, 8, 7, 6, 5, 1, 0, -3].map(counts.countAbove)).toEqual([0, 0, 1, 1, 3, 3, 4, 4, 4]);
  expect([10, 9, 8, 7, 6, 5, 1].map(counts.countFrom)).toEqual([0, 1, 1, 3, 3, 4, 4]);
  expect([0, 1, 2, 3].map(counts.scoreAt)).toEqual([9, 7, 7, 5]);
  expect(counts).toMatchObject({ total: 4, sum: 28 });
  expect([countsOf([]).total, countsOf([]).countAbove(0)]).toEqual([0, 0]);
});

it('agrees with a sort of all scores', () => {
  const score = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }));
  fc.assert(
    fc.property(fc.array(score, { maxLength: 60 }), score, (scores, other) => {
      const counts = countsOf(scores);
      expect(scores.map((_, place) => counts.scoreAt(place))).toEqual(scores.toSorted((a, b) => b - a));
      for (const each of [...scores, other]) {
        expect(counts.countAbove(each)).toBe(scores.filter((one) => one > each).length);
        expect(counts.countFrom(each)).toBe(scores.filter((one) => one >= each).length);
      }
    }),
  );
});
