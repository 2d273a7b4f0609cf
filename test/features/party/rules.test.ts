import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addPartyVote,
  daysOfPeriod,
  noPartyProgress,
  partyEntry,
  partyPeriod,
} from '../../../src/features/party/rules.ts';

const per = fc.constantFrom('day' as const, 'week' as const, 'month' as const);

describe('the period of a party', () => {
  it.each([
    ['day', 'day 2026-01-31', 20_484, 20_485],
    ['week', 'week 2026-W05', 20_479, 20_486],
    ['month', 'month 2026-01', 20_454, 20_485],
  ] as const)('per %s', (unit, id, firstDay, endDay) => {
    expect(partyPeriod(unit, 20_484)).toEqual({ id, firstDay, endDay });
  });

  it('contains its day, and the next begins where it ends', () => {
    fc.assert(
      fc.property(per, fc.integer({ min: 0, max: 100_000 }), (unit, day) => {
        const period = partyPeriod(unit, day);
        expect(period.firstDay <= day && day < period.endDay).toBe(true);
        expect(partyPeriod(unit, period.endDay - 1)).toEqual(period);
        expect(daysOfPeriod(period.id)).toEqual([period.firstDay, period.endDay - 1]);
        expect(partyPeriod(unit, period.endDay).firstDay).toBe(period.endDay);
      }),
    );
  });
});

describe('the goal of a party', () => {
  const rules = { goal: 3, per: 'week', credits: 25 } as const;

  it('pays all voters when it is reached, once, and later only voters from before', () => {
    let progress = noPartyProgress;
    const payees = [10, 40, 20, 50, 20, 19].map((voteAt) => {
      const added = addPartyVote(progress, rules, voteAt);
      progress = added.progress;
      return added.payees;
    });
    expect(payees).toEqual(['nobody', 'nobody', 'all_voters', 'nobody', 'this_voter', 'this_voter']);
    expect(progress).toEqual({ votes: 6, reachedAt: 20 });
  });

  it('is reached by the next vote if the owner has lowered it', () => {
    const added = addPartyVote({ votes: 50, reachedAt: null }, rules, 10);
    expect(added).toEqual({ progress: { votes: 51, reachedAt: 10 }, payees: 'all_voters' });
  });

  it('pays an entry that is unique per account and period', () => {
    expect(partyEntry(rules, partyPeriod('week', 20_484).id)).toEqual({
      cause: 'party',
      credits: 25,
      reason: '3 votes, week 2026-W05',
      achievement: 'party week 2026-W05',
    });
  });
});
