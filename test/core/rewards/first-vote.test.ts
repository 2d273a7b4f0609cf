import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ListingRewards } from '../../../src/core/rewards/rules.ts';
import type { Vote } from '../../../src/webhook/event.ts';
import { type CastVote, decideAll, extras, plainRewards, vote, voteContext } from './rewards-fixture.ts';

const hour = 3_600_000;
const rewards: ListingRewards = { ...plainRewards, firstVote: 5 };
/** Days before Berlin's clocks are changed on Sunday 2026-03-29. */
const start = Date.parse('2026-03-20T00:00:00Z');
const berlin = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin', dateStyle: 'short' });

const castVote = fc.record({
  rewards: fc.constant(rewards),
  listing: fc.constantFrom('server', 'bot', '__proto__'),
  at: fc.integer({ min: 0, max: 20 * 24 * 4 }).map((quarters) => start + (quarters * hour) / 4),
  withinCooldown: fc.boolean(),
  event: fc.constantFrom<Vote>(vote, { ...vote, creditsAwarded: false }),
});

/** The dates in Berlin with a counted vote, as a calendar on a wall shows them. */
function datesOf(votes: readonly CastVote[]): string[] {
  const counted = votes.filter(({ withinCooldown }) => !withinCooldown);
  return [...new Set(counted.map(({ at }) => berlin.format(at)))].sort();
}

it('is paid once for each calendar day with a counted vote, whatever the order of arrival', () => {
  fc.assert(
    fc.property(fc.array(castVote, { maxLength: 40 }), (votes) => {
      const paid = extras(decideAll(votes).entries).filter(({ cause }) => cause === 'firstVote');
      expect(paid.map(({ reason }) => String(reason)).sort()).toEqual(datesOf(votes));
    }),
    { numRuns: 500 },
  );
});

it('is not paid for a day that had a vote before the rule was switched on, nor for one that is forgotten', () => {
  const at = (days: number, hours = 0) => ({ at: voteContext().at + days * 24 * hour + hours * hour });
  const { entries } = decideAll([
    { ...at(0), rewards: plainRewards },
    { ...at(0, 1), rewards, listing: 'bot' },
    { ...at(400), rewards },
    { ...at(1), rewards },
  ]);
  expect(entries.filter(({ cause }) => cause === 'firstVote').map(({ reason }) => reason)).toEqual(['2027-02-11']);
});
