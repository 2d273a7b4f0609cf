import { describe, expect, it } from 'vitest';
import { entryReason } from '../../commands/entry-reason.ts';
import type { Cause } from '../../src/core/ledger/entry.ts';
import { textsIn } from '../../src/texts/texts.ts';

describe('the reason of an entry', () => {
  it.each<[Cause, string, string]>([
    ['streak', '7 days on 2026-11-20', '**7** Tage'],
    ['milestone', '10 votes', '**10** Votes'],
    ['milestone', '10 votes, before the rules', '**10** Votes'],
    ['party', '1000 votes, week 2026-W47', '**1.000** Votes'],
    ['allListings', '2026-11-20', '20. November'],
    ['correction', '5 votes for @everyone', '5 votes for @\u200Beveryone'],
  ])('of %s is translated where it is one of ours: %s', (cause, reason, text) => {
    expect(entryReason(cause, reason, textsIn('de'))).toBe(text);
  });

  it('is omitted if the cause says it all', () => {
    expect(entryReason('within_cooldown', 'within_cooldown', textsIn('de'))).toBe(null);
    expect(entryReason('vote', null, textsIn('de'))).toBe(null);
  });
});
