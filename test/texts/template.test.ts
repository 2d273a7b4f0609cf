import type { LookupErrorCode } from '@tallyhook/platform/error-codes';
import { escapeName, type Markup, markup, mention, timestamp } from '@tallyhook/platform/texts/markup';
import { describe, expect, it } from 'vitest';
import { lookupText } from '../../src/discord/interactions/error-replies.ts';
import {
  parseTemplate,
  placeholderNames,
  placeholders,
  placeholdersIn,
  renderTemplate,
  templateIssues,
  titlePlaceholders,
} from '../../src/texts/template.ts';
import { createAppTexts, ownTexts, readOverrides, type TextOverrides, textsIn } from '../../src/texts/texts.ts';

const none = Object.fromEntries(placeholderNames.map((name) => [name, markup``])) as Record<
  (typeof placeholderNames)[number],
  Markup
>;
const values = { ...none, mention: mention('7'), listing: escapeName('a*b'), credits: markup`1,200` };
const render = (text: string) => renderTemplate(parseTemplate(text), values);
const issues = (text: string, maxLength = 4_000) =>
  templateIssues(text, { known: placeholderNames, maxLength }).map(({ message }) => message);

describe('a template', () => {
  it('contains values, the markup of the owner, and escaped text of others', () => {
    expect(render('**{mention}** voted for _{listing}_.\n+{credits}')).toBe('**<@7>** voted for _a\\*b_.\n+1,200');
    expect(placeholdersIn(parseTemplate('{credits} {mention} {credits}'))).toEqual(['credits', 'mention']);
  });

  it('has braces as doubled braces', () => {
    expect(render('{{credits}} {{{credits}}}')).toBe('{credits} {1,200}');
    expect(issues('{{credits}} {{{credits}}}')).toEqual([]);
  });

  it('leaves out lines of which only empty values remain, and keeps empty lines of the owner', () => {
    expect(render('{mention}\n{reason}\n\n {bonuses} {roles}\nBecause: {reason}')).toBe('<@7>\n\nBecause: ');
  });

  it('has one issue for all unknown placeholders, with suggestions', () => {
    const known = placeholderNames.map((name) => `{${name}}`).join(', ');
    expect(issues('{credit} and {whatever} and {credit}')).toEqual([
      `it contains {credit}, {whatever}, which are not placeholders (did you mean {credits}?); it can contain ${known}`,
    ]);
    expect(issues('{whatever}')).toEqual([
      `it contains {whatever}, which is not a placeholder; it can contain ${known}`,
    ]);
  });

  it('has an issue for a placeholder that Discord does not show in a title', () => {
    expect(templateIssues('{mention}', { known: titlePlaceholders, maxLength: 256 })).toMatchObject([
      {
        message:
          'it contains {mention}, which Discord shows only in the text; here it can contain {listing}, {site}, {credits}, {balance}, {votes}, {streak}',
      },
    ]);
  });

  it.each(['{', '}', 'a {credits', 'credits}', '{ {credits}', '{{{credits}}', `{${'a'.repeat(60)}}`])(
    'has an issue for braces without a counterpart: %s',
    (text) => {
      expect(issues(text)).toEqual([expect.stringContaining('brace without its counterpart')]);
    },
  );

  it('has an issue if its values would not fit', () => {
    expect(issues('a'.repeat(100), 100)).toEqual([]);
    expect(issues('a'.repeat(101), 100)).toEqual([expect.stringContaining('101 characters, of which 100 fit')]);
    expect(issues('{reason}', 100)).toEqual([expect.stringContaining('180 characters')]);
  });
});

it('the longest numbers of every language fit into their placeholders', () => {
  for (const { number } of ownTexts.all()) {
    for (const name of ['credits', 'votes'] as const)
      expect(number(1e9).length).toBeLessThanOrEqual(placeholders[name]);
    expect(number(Number.MAX_SAFE_INTEGER).length).toBeLessThanOrEqual(placeholders.balance);
  }
});

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
});
