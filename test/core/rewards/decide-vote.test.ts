import { describe, expect, it } from 'vitest';
import { decideVote } from '../../../src/core/rewards/decide-vote.ts';
import type { ListingRewards } from '../../../src/core/rewards/rules.ts';
import type { Vote } from '../../../src/webhook/event.ts';
import {
  allRewards,
  type CastVote,
  daily,
  decideAll,
  double,
  extras,
  plainRewards,
  vote,
  voteContext,
} from './rewards-fixture.ts';

const hour = 3_600_000;
const day = 24 * hour;
const streak: ListingRewards = { ...plainRewards, streak: { every: 3, credits: 50, forgive: 0 } };

describe('the credits of a vote', () => {
  const doubled = { ...plainRewards, multipliers: [double] };

  it.each<[string, Partial<Vote>, ListingRewards, number, string, string | null]>([
    ['are the listing’s', {}, plainRewards, 10, 'vote', null],
    [
      'are the listing’s if the payload only says that they are awarded',
      { creditsAwarded: true },
      plainRewards,
      10,
      'vote',
      null,
    ],
    ['stay zero, without a reason', { creditsAwarded: 0 }, plainRewards, 0, 'vote', null],
    ['are the payload’s number', { creditsAwarded: 7 }, plainRewards, 7, 'vote', null],
    ['are multiplied', {}, doubled, 20, 'vote', '10 × 2'],
    ['are the payload’s number multiplied', { creditsAwarded: 7 }, doubled, 14, 'vote', '7 × 2'],
    ['keep the reason of the service', { creditsAwarded: 7, denial: 'late' }, doubled, 14, 'vote', 'late'],
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
    expect(decision).toEqual({ entries: [entry], grants: [], history, reached: { streaks: [], milestone: null } });
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
  it('goes by the community’s midnight', () => {
    const at = (time: string) => ({ rewards: streak, at: Date.parse(time) });
    const times = ['2026-01-07T22:59:59Z', '2026-01-07T23:00:00Z', '2026-01-08T23:00:00Z'];
    expect(extras(decideAll(times.map(at)).entries)).toHaveLength(1);
    expect(extras(decideAll(['2026-01-07T22:59:58Z', ...times.slice(0, 2)].map(at)).entries)).toHaveLength(0);
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
});
