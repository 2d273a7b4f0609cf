import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { defaultLocale, languageOf, locales } from '@tallyhook/platform/texts/locale';
import { partsOf } from '@tallyhook/platform/texts/message-parts';
import { messagesIn } from '@tallyhook/platform/texts/translations';
import { catalogue as service } from '../../packages/listing-service/src/texts/catalogue.ts';
import { catalogue as bot } from '../../src/texts/texts.ts';

export const programs = {
  bot: { catalogue: bot, sources: '{src,commands,config}/**/*.ts', locales: 'locales' },
  service: {
    catalogue: service,
    sources: 'packages/listing-service/src/**/*.ts',
    locales: 'packages/listing-service/locales',
  },
} as const;
export type Program = keyof typeof programs;

/** One locale of each language that has a file. */
export const translations = locales.filter(
  (locale, index) =>
    languageOf(locale) !== 'en' && locales.findIndex((each) => languageOf(each) === languageOf(locale)) === index,
);

/** English, and one locale of each language that has a file. */
export const checkedLocales = [defaultLocale, ...translations] as const;

/** Files of languages that {@link locales} does not have, so that nobody reads them. */
export function unreadFiles(program: Program): readonly string[] {
  const languages = [...locales.map(languageOf), 'en'];
  return globSync(`${programs[program].locales}/*.json`).filter((path) => !languages.includes(basename(path, '.json')));
}

const formSuffix = /_(zero|one|two|few|many|other)$/;
/** The key of a text that depends on a number, for that of one of its forms; others stay as they are. */
const keyOf = (key: string) => key.replace(formSuffix, '');
const placeholdersIn = (message: string) => new Set(partsOf(message).filter((_, index) => index % 2 === 1));

/** How much of the texts of a program a language has, from 0 to 1. */
export function coverageOf(program: Program, locale: (typeof locales)[number]): number {
  const { catalogue } = programs[program];
  const keys = new Set([...messagesIn(catalogue, 'en').keys()].map(keyOf));
  const own = new Set([...messagesIn(catalogue, languageOf(locale)).keys()].map(keyOf));
  return [...keys].filter((key) => own.has(key)).length / keys.size;
}

/** The problems of the texts of a program in a language, a line each; empty if there are none. */
export function problemsOf(program: Program, locale: (typeof locales)[number]): readonly string[] {
  const { catalogue } = programs[program];
  const source = messagesIn(catalogue, 'en');
  const messages = messagesIn(catalogue, languageOf(locale));
  const forms = new Set(new Intl.PluralRules(locale).resolvedOptions().pluralCategories.map(String));
  const problems: string[] = [];
  for (const [key, message] of messages) {
    const form = formSuffix.exec(key)?.[1];
    const original = source.get(form === undefined ? key : `${keyOf(key)}_other`);
    const report = (problem: string) => problems.push(`${key}: ${problem}`);
    if (original === undefined) {
      report('English has no such text');
      continue;
    }
    if (form !== undefined && !forms.has(form)) report(`the language has no form "${form}"`);
    const expected = placeholdersIn(original);
    const actual = placeholdersIn(message);
    // The number itself may be a word, such as "a vote".
    if (form !== undefined && !actual.has('count')) expected.delete('count');
    const lost = [...expected].filter((name) => !actual.has(name));
    const unknown = [...actual].filter((name) => !expected.has(name));
    if (lost.length > 0) report(`it lacks {${lost.join('}, {')}}`);
    if (unknown.length > 0) report(`there is no {${unknown.join('}, {')}}`);
    if (message.trim() === '') report('it is empty');
    if (
      /[{}]/.test(
        partsOf(message)
          .filter((_, index) => index % 2 === 0)
          .join(''),
      )
    )
      report('it has a brace');
    if (message.split('**').length % 2 === 0) report('it has ** without a counterpart');
    const limit = program === 'bot' ? limitOf(key) : Number.POSITIVE_INFINITY;
    // The examples of placeholders that are filled in have at most 36 characters.
    const length = message.replace('{placeholders}', 'x'.repeat(36)).length;
    if (length > limit) report(`it has ${length} characters, of which Discord shows ${limit}`);
  }
  for (const key of new Set([...messages.keys()].filter((each) => formSuffix.test(each)).map(keyOf))) {
    const missing = [...forms].filter((form) => !messages.has(`${key}_${form}`));
    if (missing.length > 0) problems.push(`${key}: it lacks the form ${missing.join(', ')}`);
  }
  return problems;
}

/** Discord's limits of titles, labels and descriptions of modals, and of selects. */
const limits: Readonly<Record<string, number>> = {
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

function limitOf(key: string): number {
  const limit = limits[key.split('.').slice(0, 2).join('.')];
  if (limit !== undefined) return limit;
  // Discord accepts 80 characters, but shows about this many of a button on a phone.
  if (isButton(key)) return 34;
  return /title/i.test(key) ? 100 : 700;
}

function isButton(key: string): boolean {
  return (
    /button/i.test(key.replace('failure.unknownButton', '')) ||
    /^(reviews|leaderboard)\.(previous|next|me)$/.test(key) ||
    /^shop\.(buy|confirm|cancel|previous|next|done|refund|purchases)$/.test(key)
  );
}

/** Names that the code puts together of two words. */
const composedNames = ['settingsFile', 'bot_vote'];

/** English texts that no source of the program says. */
export function unusedKeys(program: Program): readonly string[] {
  const { catalogue, sources } = programs[program];
  const files = globSync(sources);
  const code = files.map((path) => readFileSync(path, 'utf8')).join('\n');
  const literals = new Set(code.match(/(?<=')[\w-]+(?:\.[\w-]+)*(?=')/g));
  // Such as `setup.choices.${value}`, in which a part of the key is known only when it is said.
  const patterns = new Set(code.match(/(?<=`)(?:[\w-]|\$\{[^`{}]*\})+(?:\.(?:[\w-]|\$\{[^`{}]*\})+)+(?=`)/g));
  const dynamic = [...patterns].map((pattern) => {
    const texts = pattern.split(/\$\{[^`{}]*\}/).map((text) => text.replaceAll('.', '\\.'));
    return new RegExp(`^${texts.join('([\\w./-]+)')}$`);
  });
  const keys = new Set([...messagesIn(catalogue, 'en').keys()].map(keyOf));
  const words = new Set(code.match(/[\w./-]*\w/g)?.flatMap((word) => [word, ...word.split(/[./]/)]));
  for (const name of composedNames) words.add(name);
  /** True if the code builds the key from parts at run time, such as the name of a rule, and has all of them. */
  const isSaid = (key: string) =>
    dynamic.some(
      (pattern) =>
        pattern
          .exec(key)
          ?.slice(1)
          .every((part) => words.has(part)) === true,
    );
  return [...keys].filter((key) => !literals.has(key) && !isSaid(key));
}
