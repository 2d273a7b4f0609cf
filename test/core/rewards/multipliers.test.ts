import { describe, expect, it } from 'vitest';
import { factorAt, multiplyCredits } from '../../../src/core/rewards/decide-vote.ts';
import type { Multiplier } from '../../../src/core/rewards/rules.ts';
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
