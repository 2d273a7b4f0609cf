import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it } from 'vitest';
import { withOtherRewards } from '../../config/listings.ts';
import { loadConfig } from '../../config/load.ts';
import type { ListingConfig } from '../../config/schema.ts';
import { environmentWith, harbour, issuesOf } from '../support/listings-file.ts';

const day = 86_400_000;

/** The listing with these rewards. */
function listingWith(rewards: object, variables: Record<string, string> = {}): ListingConfig | undefined {
  return loadConfig({ ...environmentWith([{ ...harbour, rewards }]), ...variables }).listings[0];
}

/** The issues of these rewards as text, with their position in `rewards`. */
function rewardIssues(rewards: object, listing: object = {}): string[] {
  return issuesOf(environmentWith([{ ...harbour, ...listing, rewards }])).map(
    ({ setting, problem }) => `${setting.replace('TALLYHOOK_CONFIG listings.0.rewards.', '')} ${problem}`,
  );
}

describe('the rewards of a listing', () => {
  it('are read from the file', () => {
    const listing = listingWith({
      ...{ vote: 11, premium: 101, whenDenied: 1 },
      multipliers: [
        { factor: 2, days: ['saturday', 'monday'] },
        { factor: 1.5, from: '2026-12-01T00:00:00Z', until: '2026-12-08T00:00:00+01:00', role: '7' },
      ],
      streak: { every: 7, credits: 50, forgive: 1 },
      milestones: [
        { votes: 10, credits: 100, role: '8' },
        { everyVotes: 10, credits: 500 },
        { votes: 20, per: 'month', credits: 50 },
      ],
      ...{ milestoneRoles: 'highest', voterRole: { role: '9', for: '90s' } },
      ...{ premiumRoles: { Gold: '10', '*': '11' }, allListings: 20, firstVote: 5 },
      party: { goal: 100, per: 'week', credits: 25 },
    });
    const base = { perVote: 11, perPremium: 101, whenDenied: 1, cooldownMs: day / 2 };
    expect(listing?.rewards.base).toEqual(base);
    expect(listing?.rewards).toMatchObject({
      base,
      multipliers: [
        { factor: 2, days: [6, 1], from: null, until: null, role: null },
        { factor: 1.5, days: null, from: Date.UTC(2026, 11, 1), until: Date.UTC(2026, 11, 7, 23), role: '7' },
      ],
      streak: { every: 7, credits: 50, forgive: 1 },
      milestones: [
        { votes: 10, repeats: 'once', credits: 100, role: '8' },
        { votes: 10, repeats: 'every', credits: 500, role: null },
        { votes: 20, repeats: 'month', credits: 50, role: null },
      ],
      milestoneRoles: 'highest',
      voterRole: { role: '9', forMs: 90_000 },
      premiumRoles: { Gold: '10', '*': '11' },
      allListings: 20,
      firstVote: 5,
      party: { goal: 100, per: 'week', credits: 25 },
    });
  });

  it('take the voter role from the variables, unless the file has one', () => {
    const variables = { DISCORD_GUILD_ID: '1000', VOTER_ROLE_ID: '5', VOTER_ROLE_FOR: '7d' };
    expect(listingWith({}, variables)?.rewards.voterRole).toEqual({ role: '5', forMs: 7 * day });
    expect(listingWith({ voterRole: { role: '6' } }, variables)?.rewards.voterRole).toEqual({
      role: '6',
      forMs: 7 * day,
    });
    expect(listingWith({ voterRole: { role: '6' } })?.rewards.voterRole).toEqual({ role: '6', forMs: day / 2 });
    const { TALLYHOOK_CONFIG: _, ...others } = environmentWith([]);
    const { listings, reminders } = loadConfig({ ...others, ...variables, LOOKUP_BOT_KEY: 'key', REMINDERS: 'off' });
    expect(listings.map(({ guildId, rewards }) => [guildId, rewards.voterRole?.role])).toEqual([
      ['1000', '5'],
      ['1000', '5'],
    ]);
    expect(reminders).toBe(false);
    expect(issuesOf({ ...others, LOOKUP_BOT_KEY: 'key', VOTER_ROLE_ID: '5' })).toMatchObject([
      { setting: 'VOTER_ROLE_ID', hint: expect.stringContaining('DISCORD_GUILD_ID') },
    ]);
  });

  it('do not take a role of DISCORD_GUILD_ID for a listing of another guild', () => {
    const elsewhere = { ...harbour, name: 'elsewhere', guildId: '2000' };
    const { listings } = loadConfig({
      ...environmentWith([harbour, elsewhere]),
      DISCORD_GUILD_ID: '1000',
      VOTER_ROLE_ID: '5',
    });
    expect(listings.map(({ rewards }) => rewards.voterRole?.role)).toEqual(['5', undefined]);
  });
});

describe('an invalid reward', () => {
  const factor = 'it must be a number greater than 0 and at most 100.';
  const upToMillion = 'it must be a whole number from 0 to 1000000.';
  const duration = 'it must be a duration such as 90s, 30m, 12h or 7d, greater than 0 and at most 3650d.';
  const discordId = 'it must be a Discord id: a string of digits.';
  const weekdays = 'it must be one of monday, tuesday, wednesday, thursday, friday, saturday, sunday.';
  const iso =
    'it must be a time in ISO 8601 with a time zone, such as 2026-12-01T00:00:00Z or 2026-12-01T00:00:00+01:00.';
  const multiplier = (changes: object) => ({ multipliers: [{ factor: 2, ...changes }] });
  const milestone = (changes: object) => ({ milestones: [{ credits: 1, ...changes }] });

  it.each<[string, object, string]>([
    ['factor 101', multiplier({ factor: 100.5 }), `multipliers.0.factor is invalid: ${factor}`],
    ['an abbreviated day', multiplier({ days: ['sunday', 'sat'] }), `multipliers.0.days.1 is invalid: ${weekdays}`],
    [
      'no day',
      multiplier({ days: [] }),
      'multipliers.0.days is invalid: it must name at least one weekday; leave it out for all.',
    ],
    ['a day off the calendar', multiplier({ until: '2026-02-30T00:00:00Z' }), `multipliers.0.until is invalid: ${iso}`],
    [
      'an empty window',
      multiplier({ from: '2026-12-01T00:00:00Z', until: '2026-12-01T00:00:00Z' }),
      'multipliers.0.until is invalid: it must be later than "from".',
    ],
    [
      'an enormous product',
      { multipliers: [{ factor: 50 }, { factor: 21, days: ['friday'], role: '1' }] },
      'multipliers is invalid: those that can apply to the same vote must not multiply to more than 1000.',
    ],
    ['credits with decimals', { vote: 1.5 }, `vote is invalid: ${upToMillion}`],
    [
      'every so many votes of a month',
      milestone({ everyVotes: 2, per: 'month' }),
      'milestones.0.per is invalid: it must have "votes" in place of "everyVotes".',
    ],
    [
      'a role of a week',
      milestone({ votes: 2, per: 'week', role: '10' }),
      'milestones.0.role is invalid: a milestone of a week or month must not have a role.',
    ],
    ['no count of a milestone', milestone({}), 'milestones.0 is invalid: it must have either "votes" or "everyVotes".'],
    [
      'a milestone for nothing',
      milestone({ votes: 1, credits: 0 }),
      'milestones.0 is invalid: it must have "credits" or a "role".',
    ],
    [
      'two equal milestones',
      { milestones: [5, 6, 5].map((everyVotes) => ({ everyVotes, credits: 1 })) },
      'milestones.2.everyVotes is invalid: an earlier milestone has the same number.',
    ],
    ['a long duration', { voterRole: { role: '1', for: '3651d' } }, `voterRole.for is invalid: ${duration}`],
    ['a voter role without role', { voterRole: { for: '1h' } }, `voterRole.role is missing: ${discordId}`],
  ])('is reported with its path and what is valid: %s', (_name, rewards, issue) => {
    expect(rewardIssues(rewards)).toEqual([issue]);
  });

  it('is reported for unknown keys', () => {
    expect(issuesOf(environmentWith([{ ...harbour, announcement: {}, rewards: { votes: 1 } }]))).toMatchObject([
      {
        setting: 'TALLYHOOK_CONFIG listings.0.rewards',
        problem: expect.stringContaining('"votes", which is not a setting'),
      },
      {
        setting: 'TALLYHOOK_CONFIG listings.0',
        problem: expect.stringContaining('"announcement", which is not a setting'),
      },
    ]);
  });
});

describe('multipliers that never apply to the same vote', () => {
  it('may multiply to more than the limit', () => {
    const week = { from: '2026-12-01T00:00:00Z', until: '2026-12-08T00:00:00Z' };
    const nextWeek = { from: '2026-12-08T00:00:00Z', until: '2026-12-15T00:00:00Z' };
    const multipliers = [
      { factor: 40, days: ['monday'] },
      { factor: 40, days: ['tuesday'] },
      { factor: 25, ...week },
      { factor: 25, ...nextWeek },
      { factor: 0.5 },
    ];
    expect(rewardIssues({ multipliers })).toEqual([]);
    expect(rewardIssues({ multipliers: [...multipliers, { factor: 1.1, ...nextWeek }] })).toHaveLength(1);
  });
});

const streak = { every: 7, credits: 50, forgive: 1 };
const party = { goal: 10, per: 'week', credits: 5 };
const luck = [{ chance: 0.5, credits: 1, name: 'Jackpot' }];
const pier = { ...harbour, name: 'pier', kind: 'bot', id: '9', guildId: '1000' };

/** The rewards of both listings of a guild, of which one gets those of the file, or all if it is null. */
function rewardsWith(rules: object, listing: string | null) {
  const rewards = { vote: 3, streak, party, allListings: 8, luck };
  const { listings } = loadConfig(environmentWith([{ ...harbour, rewards }, pier]));
  const path = join(tempDir(), 'rules.json');
  writeFileSync(path, JSON.stringify(rules));
  return withOtherRewards(listings, { path, listing }).map(({ rewards: changed }) => changed);
}

it('replace the rules of all listings, of which those that the file leaves out are off', () => {
  expect(rewardsWith({ party: { ...party, goal: 20 } }, null)).toMatchObject([
    { base: { perVote: 3 }, streak: null, party: { goal: 20 }, allListings: 0, luck: [] },
    { base: { perVote: 10 }, streak: null, party: { goal: 20 }, allListings: 0 },
  ]);
});

it('replace those of one listing, except what the listings of a guild share, which changes in all or stays', () => {
  expect(rewardsWith({ vote: 4, party: { ...party, goal: 20 } }, 'harbour')).toMatchObject([
    { base: { perVote: 4 }, streak, party: { goal: 20 }, allListings: 8, luck: [] },
    { base: { perVote: 10 }, streak, party: { goal: 20 }, allListings: 8 },
  ]);
  expect(rewardsWith({ allListings: 2, streak: { every: 2, credits: 1 } }, 'pier')).toMatchObject([
    { base: { perVote: 3 }, streak: { every: 2, credits: 1, forgive: 0 }, party, allListings: 2, luck },
    { base: { perVote: 10 }, streak: { every: 2, credits: 1, forgive: 0 }, party, allListings: 2 },
  ]);
});
