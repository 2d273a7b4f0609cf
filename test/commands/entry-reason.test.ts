import { describe, expect, it } from 'vitest';
import { causeName, entryReason } from '../../commands/entry-reason.ts';
import type { Cause } from '../../src/core/ledger/entry.ts';
import { textsIn } from '../../src/texts/texts.ts';

it('the cause of an entry that a later version has written has a name, and its reason is shown', () => {
  const de = textsIn('de');
  for (const cause of ['gift', 'constructor']) {
    expect(causeName(cause, de)).toBe('Sonstiges');
    expect(entryReason(cause, 'from mira', de)).toBe('from mira');
  }
  expect(causeName('streak', de)).toBe(de.text('credits.causes.streak'));
});

describe('the reason of an entry', () => {
  it.each<[Cause, string, string]>([
    ['streak', '7 days on 2026-11-20', '**7** Tage'],
    ['milestone', '10 votes', '**10** Votes'],
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
