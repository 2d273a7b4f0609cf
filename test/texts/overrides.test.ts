import { describe, expect, it } from 'vitest';
import { createAppTexts, readOverrides, type TextOverrides } from '../../src/texts/texts.ts';

describe('own texts', () => {
  it('replace those of a language in all of its regions, unless a region has its own, and in one app alone', () => {
    const coins = createAppTexts({
      en: { 'credits.title': 'Your coins', 'parts.credits_one': '**{count}** coin' },
      'en-GB': { 'credits.title': 'Your pence' },
    });
    const points = createAppTexts({ en: { 'credits.title': 'Your points' } });
    expect(coins.in('en-US').text('credits.title')).toBe('Your coins');
    expect(coins.in('en-GB').text('credits.title')).toBe('Your pence');
    const { text } = coins.in('en-GB');
    expect([1, 2].map((count) => text('parts.credits', { count }))).toEqual(['**1** coin', '**2** credits']);
    expect(coins.in('de').text('credits.title')).not.toBe('Your coins');
    expect(points.in('en-US').text('credits.title')).toBe('Your points');
    expect(createAppTexts().in('en-US').text('credits.title')).toBe('Credits');
  });

  const issues: readonly [TextOverrides, RegExp][] = [
    [{ en: { 'credit.title': 'Coins' } }, /en "credit\.title" is not a text \(did you mean "credits\.title"\?\)/],
    [
      { de: { 'canVote.youLater': 'Noch {tme}.' } },
      /\{tme\} \(did you mean "time"\?\), but can have \{name\}, \{time\}/,
    ],
    [{ en: { 'credits.title': '{user}' } }, /"credits\.title" has the placeholder \{user\}.*has no placeholders/],
    [{ en: { 'credits.title': ' ' } }, /is empty/],
    [{ en: { 'canVote.voteButton': 'x'.repeat(81) } }, /has 81 characters, of which 80 fit/],
    [{ ed: { 'credits.title': 'Coins' } } as TextOverrides, /there are no texts in "ed"/],
    [{ de: { 'parts.credits_few': 'Münzen' } }, /"parts\.credits_few" is not a text/],
  ];

  it.each(issues)('are rejected with a hint: %j', (overrides, message) => {
    expect(() => createAppTexts(overrides)).toThrow(message);
  });

  it('are rejected with all issues at once', () => {
    expect(() => readOverrides({ en: { unknown: 'x' }, de: { other: 'y' } })).toThrow(/en "unknown".*; de "other"/);
  });
});
