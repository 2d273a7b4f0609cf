import { ApplicationCommandType, type LocalizationMap } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { commands } from '../../commands/index.ts';
import { bodiesOf, bodyOf } from '../../src/discord/registration/command-shape.ts';
import { catalogues } from '../../src/texts/catalogues.ts';
import { partsOf } from '../../src/texts/language.ts';
import { defaultLocale, type Locale, locales } from '../../src/texts/locale.ts';
import { escapeName } from '../../src/texts/markup.ts';
import { textsIn } from '../../src/texts/texts.ts';
import { fakeLookup } from '../commands/command-fixture.ts';

type Messages = { readonly [key: string]: string | Messages };

/** The messages by their path, such as `credits.milestone.one`. */
function messagesOf(messages: Messages, path = ''): Map<string, string> {
  const found = new Map<string, string>();
  for (const [key, message] of Object.entries(messages)) {
    if (typeof message === 'string') found.set(`${path}${key}`, message);
    else for (const [inner, text] of messagesOf(message, `${path}${key}.`)) found.set(inner, text);
  }
  return found;
}

/** The paths of messages that depend on a number, with their categories. */
function pluralsOf(messages: Messages, path = ''): Map<string, Messages> {
  const found = new Map<string, Messages>();
  for (const [key, message] of Object.entries(messages)) {
    if (typeof message === 'string') continue;
    if ('other' in message) found.set(`${path}${key}`, message);
    else for (const [inner, forms] of pluralsOf(message, `${path}${key}.`)) found.set(inner, forms);
  }
  return found;
}

const isButton = (path: string) =>
  /button/i.test(path.replace('failure.unknownButton', '')) ||
  /^(reviews|leaderboard)\.(previous|next|me)$/.test(path) ||
  /^shop\.(buy|confirm|cancel|previous|next|done|refund|purchases)$/.test(path);
/** Discord's limits of titles, labels and descriptions of modals, and of selects; buttons as above. */
const setupLimits: Readonly<Record<string, number>> = {
  'setup.sections': 34,
  'setup.buttons': 34,
  'setup.forms': 45,
  'setup.fields': 45,
  'setup.hints': 100,
  'setup.choices': 100,
  'setup.placeholders': 150,
  'setup.trust': 100,
  'award.creditsField': 45,
  'award.reasonField': 45,
};
const placeholdersIn = (message: string) => new Set(partsOf(message).filter((_, index) => index % 2 === 1));
const english = catalogues[defaultLocale];
const englishPlurals = pluralsOf(english);
/** The path of the English message for that of a plural form. */
const sourceOf = (path: string) => {
  const plural = path.slice(0, path.lastIndexOf('.'));
  return englishPlurals.has(plural) ? `${plural}.other` : path;
};
const translations = locales.filter((locale) => catalogues[locale] !== english);
/** Discord's own words of a category, such as "one" and "few" in Polish. */
const categoriesOf = (locale: Locale) => new Intl.PluralRules(locale).resolvedOptions().pluralCategories.toSorted();

it.each([
  ['de', 'eins, zwei, drei', ['eins', null, 'zwei', 'drei']],
  ['ja', '一、二', ['一', '二']],
  ['zh-CN', '一、二、三', ['一', '二', '三']],
] as const)('lists have the comma of the language: %s', (locale, list, parts) => {
  expect(textsIn(locale).list(parts.map((part) => part && escapeName(part)))).toBe(list);
});

it('there is a text in every language', () => {
  expect(translations).toEqual(locales.filter((locale) => !locale.startsWith('en-')));
});

describe.each(locales)('the texts in %s', (locale) => {
  const messages = messagesOf(catalogues[locale]);

  it('are complete', () => {
    const sources = new Set([...messages.keys()].map(sourceOf));
    expect(sources).toEqual(new Set([...messagesOf(english).keys()].map(sourceOf)));
    expect([...messages].filter(([, message]) => message.trim() === '' || message !== message.trim())).toEqual([]);
  });

  it('have the forms that the language needs for numbers', () => {
    for (const [path, forms] of pluralsOf(catalogues[locale])) {
      expect(Object.keys(forms).toSorted(), path).toEqual(categoriesOf(locale));
    }
  });

  it('have the placeholders of the English texts', () => {
    const source = messagesOf(english);
    for (const [path, message] of messages) {
      const expected = placeholdersIn(source.get(sourceOf(path)) ?? '');
      const actual = placeholdersIn(message);
      // The number itself may be a word, such as "a vote".
      const isForm = sourceOf(path) !== path || path.endsWith('.other');
      if (isForm && !actual.has('count')) expected.delete('count');
      expect(actual, path).toEqual(expected);
    }
  });

  it('have no braces, and no markup that is open', () => {
    for (const [path, message] of messages) {
      const texts = partsOf(message).filter((_, index) => index % 2 === 0);
      expect(texts.join(''), path).not.toMatch(/[{}]/);
      expect((message.match(/\*\*/g) ?? []).length % 2, path).toBe(0);
    }
  });

  it("fit Discord's limits", () => {
    for (const [path, message] of messages) {
      // Discord accepts 80 characters, but shows about this many of a button on a phone.
      if (isButton(path)) expect(message.length, path).toBeLessThanOrEqual(34);
      const limit = setupLimits[path.split('.').slice(0, 2).join('.')];
      // The examples of placeholders that are filled in have at most 36 characters.
      const length = message.replace('{placeholders}', 'x'.repeat(36)).length;
      if (limit !== undefined) expect(length, path).toBeLessThanOrEqual(limit);
      if (/title/i.test(path)) expect(message.length, path).toBeLessThanOrEqual(100);
      expect(message.length, path).toBeLessThanOrEqual(700);
    }
  });
});

describe('the descriptions of the commands', () => {
  const listings = [
    { name: 'server', lookup: fakeLookup('server', {}) },
    { name: 'bot', lookup: fakeLookup('bot', {}) },
  ];
  const bodies = commands.map((command) => bodyOf(command, { listings, isShared: false }, null));

  it.each(bodies)('$name fit in every language', (body) => {
    const options: readonly Described[] = body.options;
    const choices = body.options.flatMap((option): readonly Described[] =>
      'choices' in option ? (option.choices ?? []) : [],
    );
    for (const { description, description_localizations: localized } of [body as Described, ...options]) {
      for (const text of [description, ...Object.values(localized ?? {})]) {
        expect(text).toMatch(/^.{1,100}$/s);
      }
    }
    for (const { name, name_localizations: localized } of choices) {
      for (const text of [name, ...Object.values(localized ?? {})]) expect(text).toMatch(/^.{1,100}$/s);
    }
    expect(lengthOf([body as Described, ...options, ...choices])).toBeLessThanOrEqual(8_000);
  });

  it('have names in the menu of a member that fit in every language', () => {
    const all = commands.flatMap((command) => bodiesOf(command, { listings, isShared: false }, null));
    const menus = all.filter(({ type }) => type === ApplicationCommandType.User);
    expect(menus.length).toBeGreaterThan(0);
    for (const { name, name_localizations: localized } of menus) {
      expect(Object.keys(localized ?? {}).length, name).toBeGreaterThan(translations.length / 2);
      for (const text of [name, ...Object.values(localized ?? {})]) expect(text).toMatch(/^\S.{0,30}\S$/u);
    }
  });

  it.each(translations)('are those of the catalogue: %s', (locale) => {
    for (const [index, { name, description, description_localizations: localized }] of bodies.entries()) {
      const inLanguage = commands[index]?.describe({ listings, isShared: false, texts: textsIn(locale) });
      expect(localized?.[locale] ?? description, name).toBe(inLanguage?.description);
    }
  });
});

interface Described {
  readonly name: string;
  readonly description?: string;
  readonly name_localizations?: LocalizationMap | null | undefined;
  readonly description_localizations?: LocalizationMap | null | undefined;
}

/** Discord counts the longest translation of each text. */
function lengthOf(parts: readonly Described[]): number {
  const longest = (text = '', localized: LocalizationMap | null = null) =>
    Math.max(...[text, ...Object.values(localized ?? {})].map((each) => each?.length ?? 0));
  return parts.reduce(
    (sum, part) =>
      sum + longest(part.name, part.name_localizations) + longest(part.description, part.description_localizations),
    0,
  );
}
