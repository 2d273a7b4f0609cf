import { describe, expect, it } from 'vitest';
import { milestoneEntries, milestoneGrants } from '../../../src/core/rewards/milestones.ts';
import type { Milestone } from '../../../src/core/rewards/rules.ts';

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
