import { describe, expect, it } from 'vitest';
import { en } from '../../src/texts/en.ts';
import { timestamp } from '../../src/texts/markup.ts';

const retry = timestamp(0, 'R');

describe('the English texts of failed lookups', () => {
  it.each(Object.entries(en.failure.lookup))('for %s are short sentences without internals', (_, textFor) => {
    for (const text of [textFor(null), textFor(retry)]) {
      expect(text).toMatch(/^[A-Z].*\.$/);
      expect(text.length).toBeLessThan(160);
      expect(text).not.toMatch(/error|null|undefined|invalid|\d{3}/i);
    }
  });

  it.each([
    'lookup_rate_limited',
    'lookup_over_budget',
    'lookup_uncounted',
    'lookup_service_error',
    'lookup_unreachable',
    'lookup_timeout',
  ] as const)('for %s contain the time to try again, if known', (code) => {
    expect(en.failure.lookup[code](retry)).toContain('Please try again <t:0:R>.');
    expect(en.failure.lookup[code](null)).toContain('Please try again later.');
  });

  it.each(['lookup_wrong_key_type', 'lookup_key_refused'] as const)('for %s do not suggest to try again', (code) => {
    expect(en.failure.lookup[code](retry)).not.toContain('Please try again');
  });
});

describe('the English texts of the command picker', () => {
  it("fit Discord's limit", () => {
    const { canVote, reviews, stats, credits, leaderboard, listing } = en;
    const descriptions = [canVote, reviews, stats, credits, leaderboard].map(({ description }) => description);
    const options = [canVote.userOption, reviews.sortOption, reviews.limitOption, listing.option, credits.userOption];
    for (const text of [...descriptions, ...options, leaderboard.periodOption, leaderboard.byOption]) {
      expect(text.length).toBeGreaterThan(0);
      expect(text.length).toBeLessThanOrEqual(100);
    }
  });
});
