import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rebuildHistory } from '../../../src/core/rewards/replay-votes.ts';
import type { ListingRewards } from '../../../src/core/rewards/rules.ts';
import { allRewards, daily, decideAll, extras, plainRewards, voteContext } from './rewards-fixture.ts';

const day = 86_400_000;
const streak: ListingRewards = { ...plainRewards, streak: { every: 3, credits: 50, forgive: 0 } };

describe('the history', () => {
  const castVotes = fc.array(
    fc.record({ day: fc.integer({ min: 0, max: 300 }), listing: fc.constantFrom('server', 'bot') }),
    { minLength: 1, maxLength: 300 },
  );

  it('can be rebuilt from the votes and what was paid', () => {
    fc.assert(
      fc.property(castVotes, (votes) => {
        const rewards = { ...allRewards, streak: { every: 3, credits: 50, forgive: 1 } };
        const inTime = votes.toSorted((one, other) => one.day - other.day);
        const { history, entries } = decideAll(
          inTime.map(({ day: on, listing }) => ({ rewards, listing, at: voteContext().at + on * day })),
        );
        const firstDay = 20_460;
        const bonuses = entries.filter(({ cause }) => cause === 'allListings').map(({ reason }) => reason ?? '');
        const rebuilt = rebuildHistory(
          votes.map((each) => ({ listing: each.listing, day: firstDay + each.day })),
          rewards.streak,
          new Set(),
          {
            streaks: entries.filter(({ cause }) => cause === 'streak').length,
            bonusDays: bonuses.map((date) => Date.parse(date) / day),
          },
        );
        expect(rebuilt).toEqual(history);
      }),
      { numRuns: 100 },
    );
  });

  it('that is rebuilt when rules are switched on counts all past days, and pays none of them', () => {
    const days = Array.from({ length: 202 }, (_, index) => ({ listing: 'server', day: 20_460 + index }));
    const rebuilt = rebuildHistory(days, streak.streak, new Set(), { streaks: 0, bonusDays: [] });
    const next = [202, 203].map((index) => ({ rewards: streak, at: voteContext().at + index * day }));
    expect(extras(decideAll(next, rebuilt).entries).map(({ reason }) => reason)).toEqual(['204 days on 2026-07-29']);
  });

  it('forgets a listing without votes for half a year', () => {
    const { history } = decideAll([{ listing: 'bot' }, { at: voteContext().at + 180 * day }]);
    expect(Object.keys(history.days)).toEqual(['server']);
  });

  it.each([
    ['of one listing, daily', ['server'], 1],
    ['of one listing, every other day', ['server'], 2],
    ['of two listings, daily', ['server', 'bot'], 1],
  ])('%s, has the same size after one year and after ten', (_, listings, everyDays) => {
    const sizeAfter = (days: number) => {
      const votes = daily(days, { rewards: allRewards }).filter((_vote, index) => index % everyDays === 0);
      const { history } = decideAll(votes.flatMap((cast) => listings.map((listing) => ({ ...cast, listing }))));
      return JSON.stringify(history).length;
    };
    const year = sizeAfter(365);
    expect(year).toBeLessThan(300 + 60 * listings.length);
    expect(Math.abs(sizeAfter(3_650) - year)).toBeLessThan(12);
  });
});
