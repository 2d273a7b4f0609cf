import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Vote } from '../../src/ledger/event.ts';
import { decideVote, type VoteContext } from '../../src/rewards/decide-vote.ts';
import { endAfter, type Grant } from '../../src/rewards/grant.ts';
import { emptyHistory, type VoteHistory } from '../../src/rewards/history.ts';
import type { RewardEntry } from '../../src/rewards/reward.ts';
import type { ListingRewards } from '../../src/rewards/rules.ts';
import { allRewards, double, plainRewards, vote, voteContext } from './rewards-fixture.ts';

const hour = 3_600_000;
const day = 24 * hour;

/** A vote with the parts of its context that differ. */
type CastVote = Partial<VoteContext> & { readonly event?: Vote };

/** Decides votes in the given order. */
function decideAll(votes: readonly CastVote[], start: VoteHistory = emptyHistory) {
  let history = start;
  const entries: RewardEntry[] = [];
  const grants: Grant[] = [];
  for (const { event = vote, ...context } of votes) {
    const decision = decideVote(history, event, voteContext(context));
    // As the store does.
    history = JSON.parse(JSON.stringify(decision.history));
    entries.push(...decision.entries);
    grants.push(...decision.grants);
  }
  const total = entries.reduce((sum, { credits }) => sum + credits, 0);
  return { history, entries, grants, total };
}

/** One vote on each of the following days at noon, starting with Wednesday 2026-01-07. */
function daily(days: number, context: CastVote = {}): CastVote[] {
  return Array.from({ length: days }, (_, index) => ({ ...context, at: voteContext().at + index * day }));
}

/** The entries apart from those of the votes themselves. */
function extras(entries: readonly RewardEntry[]) {
  return entries.filter(({ cause }) => cause !== 'vote' && cause !== 'denied');
}

const streak: ListingRewards = { ...plainRewards, streak: { every: 3, credits: 50, forgive: 0 } };

describe('the credits of a vote', () => {
  const doubled = { ...plainRewards, multipliers: [double] };

  it.each<[string, Partial<Vote>, ListingRewards, number, string, string | null]>([
    ['are the listing’s', {}, plainRewards, 10, 'vote', null],
    ['are the payload’s number', { creditsAwarded: 7 }, plainRewards, 7, 'vote', null],
    ['are multiplied', {}, doubled, 20, 'vote', '10 × 2'],
    ['are the payload’s number multiplied', { creditsAwarded: 7 }, doubled, 14, 'vote', '7 × 2'],
    ['stay zero', { creditsAwarded: 0 }, doubled, 0, 'vote', '0 × 2'],
    [
      'are not multiplied when denied',
      { creditsAwarded: false, denial: 'no' },
      { ...doubled, base: { ...plainRewards.base, whenDenied: 3 } },
      3,
      'denied',
      'no',
    ],
  ])('%s', (_, event, rewards, credits, cause, reason) => {
    const { entries } = decideAll([{ event: { ...vote, ...event }, rewards }]);
    expect(entries).toEqual([{ cause, credits, reason, achievement: null }]);
  });
});

describe('a vote within the cooldown', () => {
  it('earns nothing, and is not in the history', () => {
    const { history } = decideAll(daily(9, { rewards: allRewards }));
    const late = {
      rewards: allRewards,
      at: voteContext().at + 9 * day,
      withinCooldown: true,
      communityListings: ['server'],
    };
    const decision = decideVote(history, vote, voteContext(late));
    const entry = { cause: 'within_cooldown', credits: 0, reason: 'within_cooldown', achievement: null };
    expect(decision).toEqual({ entries: [entry], grants: [], history });
  });
});

describe('a denied vote', () => {
  it('counts for streaks and milestones, and extends the voter role', () => {
    const event = { ...vote, creditsAwarded: false };
    const rewards = { ...streak, milestones: [{ votes: 3, repeats: 'once', credits: 100, role: null }] } as const;
    const { entries, grants } = decideAll(
      daily(3, { rewards: { ...rewards, voterRole: { role: '20', forMs: hour } }, event }),
    );
    expect(extras(entries).map(({ cause }) => cause)).toEqual(['streak', 'milestone']);
    expect(grants).toHaveLength(3);
  });
});

describe('a streak', () => {
  it('is paid by its last day, once, also if the member votes again that day', () => {
    const { entries } = decideAll([
      ...daily(3, { rewards: streak }),
      { rewards: streak, at: voteContext().at + 2 * day + 6 * hour },
    ]);
    expect(extras(entries)).toEqual([
      { cause: 'streak', credits: 50, reason: '3 days on 2026-01-09', achievement: 'streak 1' },
    ]);
  });

  it('goes by the community’s midnight', () => {
    const at = (time: string) => ({ rewards: streak, at: Date.parse(time) });
    const times = ['2026-01-07T22:59:59Z', '2026-01-07T23:00:00Z', '2026-01-08T23:00:00Z'];
    expect(extras(decideAll(times.map(at)).entries)).toHaveLength(1);
    expect(extras(decideAll(['2026-01-07T22:59:58Z', ...times.slice(0, 2)].map(at)).entries)).toHaveLength(0);
  });

  it('is paid by a late vote that closes its gap', () => {
    const [first = {}, late = {}, third = {}] = daily(3, { rewards: streak });
    const before = decideAll([first, third]);
    expect(extras(before.entries)).toEqual([]);
    expect(extras(decideAll([late], before.history).entries)).toHaveLength(1);
  });

  it('includes days before its rules were in force, and pays only what is reached from then on', () => {
    const before = decideAll(daily(5));
    const next = { rewards: streak, at: voteContext().at + 5 * day };
    expect(extras(decideAll([next], before.history).entries).map(({ reason }) => reason)).toEqual([
      '6 days on 2026-01-12',
    ]);
  });

  it('follows changed rules without paying for the past, and never repeats an achievement', () => {
    const before = decideAll(daily(6, { rewards: streak }));
    const everyTwo = { ...streak, streak: { every: 2, credits: 50, forgive: 0 } };
    const after = decideAll(
      [6, 7].map((index) => ({ rewards: everyTwo, at: voteContext().at + index * day })),
      before.history,
    );
    expect(extras([...before.entries, ...after.entries]).map(({ achievement }) => achievement)).toEqual([
      'streak 1',
      'streak 2',
      'streak 3',
    ]);
  });

  it('is forgotten after half a year without its rules, but the numbers of its payments are not', () => {
    const before = decideAll([...daily(3, { rewards: streak }), { at: voteContext().at + 3 * day }]);
    const again = daily(3, { rewards: streak }).map(({ at = 0 }) => ({ rewards: streak, at: at + 180 * day }));
    expect(extras(decideAll(again, before.history).entries).map(({ achievement }) => achievement)).toEqual([
      'streak 2',
    ]);
  });
});

describe('the bonus for all listings', () => {
  const rewards = { ...plainRewards, allListings: 20 };
  const on = (listing: string, hours: number, context: CastVote = {}) => ({
    rewards,
    listing,
    at: voteContext().at + hours * hour,
    ...context,
  });

  it('is paid once per calendar day, by the last vote that is needed', () => {
    const { entries } = decideAll([on('server', 0), on('bot', 1), on('bot', 9), on('server', 12), on('bot', 13)]);
    expect(extras(entries).map(({ achievement }) => achievement)).toEqual([
      'allListings 2026-01-07',
      'allListings 2026-01-08',
    ]);
    expect(extras(decideAll([on('server', 0), on('bot', 12)]).entries)).toEqual([]);
  });

  it('is not paid again for a listing that is added later that day', () => {
    const communityListings = ['server', 'bot', 'other'];
    const { entries } = decideAll([on('server', 0), on('bot', 1), on('other', 2, { communityListings })]);
    expect(extras(entries)).toHaveLength(1);
  });

  it('is not paid in a community with one listing', () => {
    expect(extras(decideAll([on('server', 0, { communityListings: ['server'] })]).entries)).toEqual([]);
  });

  it('does not need days that the window has left', () => {
    const communityListings = ['server', '__proto__'];
    const later = { at: voteContext().at + 100 * day, communityListings };
    const { entries, history } = decideAll([
      on('__proto__', 0),
      on('server', 0, later),
      on('__proto__', 0, { ...later, at: later.at + hour }),
    ]);
    expect(extras(entries)).toHaveLength(1);
    expect(Object.keys(history.days).sort()).toEqual(['__proto__', 'server']);
  });

  it('works for listings named like members of objects', () => {
    const communityListings = ['__proto__', 'constructor'];
    const { entries } = decideAll([
      on('__proto__', 0, { communityListings }),
      on('constructor', 1, { communityListings }),
    ]);
    expect(extras(entries)).toHaveLength(1);
  });
});

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

  it('changes neither the total, the achievements, the history nor the roles', () => {
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
        expect(achievements(other.entries).sort()).toEqual(achievements(one.entries).sort());
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

  it('never pays an achievement twice', () => {
    fc.assert(
      fc.property(votes, (inTime) => {
        const paid = achievements(decideAll(inTime).entries);
        expect(new Set(paid).size).toBe(paid.length);
      }),
      { numRuns: 200 },
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

describe('the history', () => {
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
