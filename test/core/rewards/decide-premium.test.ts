import { describe, expect, it } from 'vitest';
import { decidePremium, type PremiumOrder, roleOfTier } from '../../../src/core/rewards/decide-vote.ts';
import { endAfter } from '../../../src/core/rewards/reward.ts';
import type { Premium } from '../../../src/webhook/event.ts';
import { allRewards, double, purchase } from './rewards-fixture.ts';

const periodEnd = Date.parse('2026-02-07T12:00:00Z');
const active: PremiumOrder = { id: 'order-1', userId: '123', tier: 'Gold', state: 'active', periodEnd };
const rewards = { ...allRewards, multipliers: [double] };

function decide(event: Partial<Premium>, before: PremiumOrder | null, after: PremiumOrder | null) {
  const { entries, grants } = decidePremium({ ...purchase, ...event }, { rewards, before, after });
  return {
    entries: entries.map(({ cause, credits }) => `${cause} ${credits}`),
    grants: grants.map(({ userId, role, until }) => [userId, role, until]),
  };
}

describe('premium', () => {
  it('pays a purchase once without multipliers, and grants the role of its tier until the end of the period', () => {
    const decision = decidePremium(purchase, { rewards, before: null, after: active });
    expect(decision).toEqual({
      entries: [{ cause: 'premium', credits: 100, reason: null, achievement: null }],
      grants: [{ userId: '123', role: '30', source: 'premium order-1', until: periodEnd, change: 'replace' }],
    });
  });

  it('moves the role to the recipient who becomes known, and to another tier', () => {
    const gift = { ...active, userId: '456' };
    expect(decide({ userId: '456' }, active, gift).grants).toEqual([
      ['123', '30', 0],
      ['456', '30', periodEnd],
    ]);
    expect(decide({}, active, { ...active, tier: 'Silver' }).grants).toEqual([
      ['123', '30', 0],
      ['123', '31', periodEnd],
    ]);
  });

  it('grants nothing to an unknown holder, nor without an order', () => {
    const revocation = { kind: 'subscription.revoked', userId: null } as const;
    expect(decide(revocation, null, { ...active, userId: null, state: 'revoked' })).toEqual({
      entries: [],
      grants: [],
    });
    expect(decide({}, null, null)).toEqual({ entries: ['premium 100'], grants: [] });
  });
});

describe('the role of a tier', () => {
  it.each([
    [{ Gold: '1', '*': '2' }, 'Gold', '1'],
    [{ Gold: '1', '*': '2' }, 'gold', '2'],
    [{ Gold: '1', '*': '2' }, null, '2'],
    [{ Gold: '1' }, 'Silver', null],
    [{}, 'constructor', null],
  ])('in %j for %s is %s', (premiumRoles, tier, expected) => {
    expect(roleOfTier(premiumRoles, tier)).toBe(expected);
  });
});

describe('a stored grant', () => {
  const grant = { userId: '1', role: '2', source: 'voter', until: 10 } as const;

  it.each([
    ['extend', null, 10],
    ['extend', { until: 5 }, 10],
    ['extend', { until: 15 }, 15],
    ['extend', { until: null }, null],
    ['replace', { until: 15 }, 10],
  ] as const)('to %s %j ends at %s', (change, stored, expected) => {
    expect(endAfter(stored, { ...grant, change })).toBe(expected);
  });
});
