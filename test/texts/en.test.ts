import type { LookupErrorCode } from '@tallyhook/platform/error-codes';
import { timestamp } from '@tallyhook/platform/texts/markup';
import { describe, expect, it } from 'vitest';
import { lookupText } from '../../src/discord/interactions/error-replies.ts';
import { textsIn } from '../../src/texts/texts.ts';

const en = textsIn('en-US');

const codes: readonly LookupErrorCode[] = en.namesIn('failure.lookup');
const retry = timestamp(0, 'R');

describe('the English texts of failed lookups', () => {
  it.each(codes)('for %s are short sentences without internals', (code) => {
    const text = lookupText(code, retry, en);
    expect(text).toMatch(/^[A-Z].*\.$/);
    expect(text.length).toBeLessThan(160);
    expect(text).not.toMatch(/error|null|undefined|invalid|\d{3}/i);
  });

  it.each([
    'lookup_rate_limited',
    'lookup_over_budget',
    'lookup_uncounted',
    'lookup_service_error',
    'lookup_unreachable',
    'lookup_timeout',
  ] as const)('for %s contain the time to try again', (code) => {
    expect(lookupText(code, retry, en)).toContain('Please try again <t:0:R>.');
  });

  it.each(['lookup_wrong_key_type', 'lookup_key_refused'] as const)('for %s do not suggest to try again', (code) => {
    expect(lookupText(code, retry, en)).not.toContain('Please try again');
  });
});
