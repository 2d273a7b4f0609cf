import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endAfter, type Grant, type RewardEntry } from '../../../src/core/rewards/reward.ts';
import type { ListingRewards } from '../../../src/core/rewards/rules.ts';
import type { Vote } from '../../../src/webhook/event.ts';
import { allRewards, daily, decideAll, double, plainRewards, vote, voteContext } from './rewards-fixture.ts';

const hour = 3_600_000;
const day = 24 * hour;
const streak: ListingRewards = { ...plainRewards, streak: { every: 3, credits: 50, forgive: 0 } };

describe('the order of arrival', () => {
  const rewards: ListingRewards = {
    ...allRewards,
    multipliers: [{ ...double, days: [6, 7] }],
    streak: { every: 3, credits: 50, forgive: 1 },
    milestones: [
      { votes: 5, repeats: 'once', credits: 100, role: '10' },
      { votes: 8, repeats: 'every', credits: 30, role: '11' },
    ],
    milestoneRoles: 'highest',
  };
  const castVote = fc.record({
    rewards: fc.constant(rewards),
    listing: fc.constantFrom('server', 'bot'),
    at: fc.integer({ min: 0, max: 40 * 24 }).map((hours) => voteContext().at + hours * hour),
    event: fc.constantFrom<Vote>(vote, { ...vote, creditsAwarded: 3 }, { ...vote, creditsAwarded: false }),
    outageDays: fc.constant(new Set([20_465, 20_466])),
  });
  const votes = fc.array(castVote, { maxLength: 50 });

  it('changes neither the total, the achievements, of which none is paid twice, the history nor the roles', () => {
    const shuffled = votes.chain((inTime) =>
      fc.record({
        inTime: fc.constant(inTime),
        outOfOrder: fc.shuffledSubarray(inTime, { minLength: inTime.length }),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ inTime, outOfOrder }) => {
        const [one, other] = [decideAll(inTime), decideAll(outOfOrder)];
        expect(other.total).toBe(one.total);
        expect(other.history).toEqual(one.history);
        const paid = achievements(one.entries);
        expect(achievements(other.entries).sort()).toEqual(paid.sort());
        expect(new Set(paid).size).toBe(paid.length);
        expect(endsOf(other.grants)).toEqual(endsOf(one.grants));
      }),
      { numRuns: 500 },
    );
  });

  it('changes nothing over more than a year either, if every vote is delivered within 96 days', () => {
    const delivery = fc.record({
      day: fc.integer({ min: 0, max: 500 }),
      delayDays: fc.integer({ min: 0, max: 96 }),
      listing: fc.constantFrom('server', '__proto__'),
    });
    fc.assert(
      fc.property(fc.array(delivery, { minLength: 150, maxLength: 300 }), (deliveries) => {
        const communityListings = ['server', '__proto__'];
        const decideBy = (arrival: (each: (typeof deliveries)[number]) => number) =>
          decideAll(
            deliveries
              .toSorted((one, other) => arrival(one) - arrival(other))
              .map(({ day: on, listing }) => ({
                rewards,
                communityListings,
                listing,
                at: voteContext().at + on * day,
              })),
          );
        const inTime = decideBy((each) => each.day);
        const delayed = decideBy((each) => each.day + each.delayDays);
        expect(delayed.total).toBe(inTime.total);
        expect(delayed.history).toEqual(inTime.history);
        expect(achievements(delayed.entries).sort()).toEqual(achievements(inTime.entries).sort());
      }),
      { numRuns: 60 },
    );
  });

  it('changes nothing for votes up to 96 days late, and only the streak and the bonus beyond', () => {
    const [newest = {}, ...older] = daily(97, { rewards: streak }).reverse();
    const inTime = decideAll(daily(97, { rewards: streak }));
    const late = decideAll([newest, ...older]);
    expect(late.total).toBe(inTime.total);
    expect(late.history).toEqual(inTime.history);

    const withBonus = { ...streak, allListings: 20 };
    const lateVotes = daily(3, { rewards: withBonus });
    const muchLater = { rewards: withBonus, at: voteContext().at + 400 * day };
    const tooLate = decideAll([muchLater, ...lateVotes, { rewards: withBonus, listing: 'bot' }]);
    expect(tooLate.total).toBe(50);
    expect(tooLate.history.votes).toBe(5);
  });

  function achievements(entries: readonly RewardEntry[]): string[] {
    return entries.map(({ achievement }) => achievement).filter((each) => each !== null);
  }

  function endsOf(grants: readonly Grant[]): Record<string, number | null> {
    const ends: Record<string, number | null> = {};
    for (const grant of grants) {
      const key = `${grant.role} ${grant.source}`;
      ends[key] = endAfter(key in ends ? { until: ends[key] ?? null } : null, grant);
    }
    return ends;
  }
});
