import { describe, expect, it } from 'vitest';
import { factorAt, multiplyCredits } from '../../../src/core/rewards/decide-vote.ts';
import { milestoneEntries, milestoneGrants } from '../../../src/core/rewards/milestones.ts';
import type { Milestone, Multiplier } from '../../../src/core/rewards/rules.ts';
import { showMultiplier } from '../../../src/core/settings/reward-settings.ts';
import { textsIn } from '../../../src/texts/texts.ts';
import { double } from './rewards-fixture.ts';

/** 2026-01-10, a Saturday. */
const moment = { at: 1_000, day: 20_463, roles: new Set(['40']) };

describe('the factor of a vote', () => {
  it.each<[string, readonly Multiplier[], number]>([
    ['is 1 without multipliers', [], 1],
    ['is doubled on a listed day of the week', [{ ...double, days: [6, 7] }], 2],
    ['is not doubled on another', [{ ...double, days: [1, 7] }], 1],
    ['is doubled from the first moment of a window', [{ ...double, from: 1_000, until: 1_001 }], 2],
    ['is not doubled before it', [{ ...double, from: 1_001 }], 1],
    ['is not doubled at its end', [{ ...double, until: 1_000 }], 1],
    ['is doubled for a role', [{ ...double, role: '40' }], 2],
    ['is not doubled for a role that the member does not have', [{ ...double, role: '41' }], 1],
    ['needs all conditions of a multiplier', [{ ...double, role: '40', days: [1] }], 1],
    ['is the product of all that apply', [double, { ...double, factor: 1.5 }, { ...double, role: '41' }], 3],
  ])('%s', (_, multipliers, expected) => {
    expect(factorAt(multipliers, moment)).toBe(expected);
  });
});

describe('multiplied credits', () => {
  it.each([
    [5, 1.5, 7],
    [100, 1.15, 115],
    [1_000_000, 1.1, 1_100_000],
    [10, 0.99, 9],
    [3, 0.3333, 0],
    [0, 3, 0],
  ])('%d × %d is %d, rounded down', (credits, factor, expected) => {
    expect(multiplyCredits(credits, factor)).toBe(expected);
  });
});

it.each([
  [{ from: '2026-12-01T00:00:00Z', until: '2026-12-08T00:00:00Z' }, '× 2 (01.12.2026, 00:00 – 08.12.2026, 00:00 UTC)'],
  [{ days: ['saturday'], until: '2026-12-08T00:00:00Z' }, '× 2 (Samstag · – 08.12.2026, 00:00 UTC)'],
  [{}, '× 2 (immer)'],
])('says when it applies: %o', (when, shown) => {
  expect(showMultiplier({ factor: 2, ...when }, textsIn('de'))).toBe(shown);
});

const milestones: readonly Milestone[] = [
  { votes: 100, repeats: 'every', credits: 500, role: '100' },
  { votes: 10, repeats: 'once', credits: 50, role: '10' },
  { votes: 200, repeats: 'once', credits: 7, role: null },
  { votes: 50, repeats: 'once', credits: 0, role: '50' },
];

describe('the entries of milestones', () => {
  it.each([
    [9, []],
    [10, ['milestone 10: 50']],
    [11, []],
    // It has only a role.
    [50, []],
    [100, ['milestone 100 every 100: 500']],
    [200, ['milestone 200 every 100: 500', 'milestone 200: 7']],
    [300, ['milestone 300 every 100: 500']],
  ])('at %d votes', (votes, expected) => {
    const entries = milestoneEntries(milestones, votes);
    expect(entries.map(({ achievement, credits }) => `${achievement}: ${credits}`)).toEqual(expected);
  });
});

describe('the roles of milestones', () => {
  it.each([
    ['all', 9, {}],
    ['all', 10, { '10': null }],
    ['all', 250, { '10': null, '50': null, '100': null }],
    ['highest', 10, { '10': null }],
    ['highest', 50, { '10': 0, '50': null }],
    ['highest', 250, { '10': 0, '50': 0, '100': null }],
  ] as const)('to keep %s at %d votes', (milestoneRoles, votes, expected) => {
    const grants = milestoneGrants({ milestones, milestoneRoles }, '123', votes);
    expect(Object.fromEntries(grants.map(({ role, until }) => [role, until]))).toEqual(expected);
    for (const grant of grants) expect(grant).toMatchObject({ userId: '123', source: 'milestone', change: 'replace' });
  });

  it('keep a role that a lower milestone shares with the highest', () => {
    const shared = [10, 20].map((votes): Milestone => ({ votes, repeats: 'once', credits: 0, role: '1' }));
    const grants = milestoneGrants({ milestones: shared, milestoneRoles: 'highest' }, '123', 20);
    expect(grants.map(({ role, until }) => [role, until])).toEqual([['1', null]]);
  });
});
