import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { createLanguage } from '@tallyhook/platform/texts/language';
import { escapeName } from '@tallyhook/platform/texts/markup';
import { messagesIn } from '@tallyhook/platform/texts/translations';
import { ApplicationCommandType, type LocalizationMap } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { commands } from '../../commands/index.ts';
import {
  checkedLocales,
  problemsOf,
  programs,
  translations,
  unreadFiles,
  unusedKeys,
} from '../../scripts/texts/check-texts.ts';
import { bodiesOf, bodyOf } from '../../src/discord/registration/command-shape.ts';
import { ownTexts, textsIn } from '../../src/texts/texts.ts';
import { fakeLookup } from '../support/command-fixture.ts';

it.each([
  ['de', 'eins, zwei, drei', ['eins', null, 'zwei', 'drei']],
  ['ja', '一、二', ['一', '二']],
  ['zh-CN', '一、二、三', ['一', '二', '三']],
] as const)('lists have the comma of the language: %s', (locale, list, parts) => {
  expect(textsIn(locale).list(parts.map((part) => part && escapeName(part)))).toBe(list);
});

describe.each(['bot', 'service'] as const)('the texts of the %s', (program) => {
  it.each(checkedLocales)('keep placeholders, have the forms for numbers, and fit, in %s', (locale) => {
    expect(problemsOf(program, locale)).toEqual([]);
  });

  it('are all said', () => expect(unusedKeys(program)).toEqual([]));

  it('are read from every file', () => expect(unreadFiles(program)).toEqual([]));

  it('are found in the files of the languages that there are', () => {
    for (const path of globSync(`${programs[program].locales}/*.json`, { exclude: ['**/en.json'] })) {
      expect(messagesIn(programs[program].catalogue, basename(path, '.json')).size, path).toBeGreaterThan(100);
    }
    expect(messagesIn(programs[program].catalogue, 'a language without a file').size).toBe(0);
  });
});

it('a text that a language lacks is English, with the form of English', () => {
  const english = createLanguage(
    'en-US',
    new Map([
      ['a', 'A {name}'],
      ['b_one', '{count} vote'],
      ['b_other', '{count} votes'],
    ]),
    null,
  );
  const japanese = createLanguage('ja', new Map([['c', '一']]), english);
  expect([japanese.fill('a', { name: 'x' }), japanese.fill('b', { count: 1 }), japanese.fill('c')]).toEqual([
    'A x',
    '1 vote',
    '一',
  ]);
});

describe('the descriptions of the commands', () => {
  const listings = [
    { name: 'server', lookup: fakeLookup('server', {}) },
    { name: 'bot', lookup: fakeLookup('bot', {}) },
  ];
  const bodies = commands.map((command) => bodyOf(command, { listings, isShared: false, languages: ownTexts }, null));

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
    const all = commands.flatMap((command) =>
      bodiesOf(command, { listings, isShared: false, languages: ownTexts }, null),
    );
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
