import { afterEach, describe, expect, it } from 'vitest';
import { readOverrides, type TextOverrides } from '../../src/texts/overrides.ts';
import { overrideTexts, textsIn } from '../../src/texts/texts.ts';

afterEach(() => overrideTexts());

describe('own texts', () => {
  it('replace those of a language in all of its regions, unless a region has its own', () => {
    overrideTexts({
      en: { 'credits.title': 'Your coins', 'parts.credits.one': '**{count}** coin' },
      'en-GB': { 'credits.title': 'Your pence' },
    });
    expect(textsIn('en-US').credits.title).toBe('Your coins');
    expect(textsIn('en-GB').credits.title).toBe('Your pence');
    expect([1, 2].map((count) => textsIn('en-GB').parts.credits(count))).toEqual(['**1** coin', '**2** credits']);
    expect(textsIn('de').credits.title).not.toBe('Your coins');
    overrideTexts();
    expect(textsIn('en-US').credits.title).not.toBe('Your coins');
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
    [{ de: { 'parts.credits.few': 'Münzen' } }, /"parts\.credits\.few" is not a text/],
  ];

  it.each(issues)('are rejected with a hint: %j', (overrides, message) => {
    expect(() => overrideTexts(overrides)).toThrow(message);
    expect(textsIn('en-US').credits.title).not.toBe('{user}');
  });

  it('are rejected with all issues at once', () => {
    expect(() => readOverrides({ en: { unknown: 'x' }, de: { other: 'y' } })).toThrow(/en "unknown".*; de "other"/);
  });
});
