import { readFileSync } from 'node:fs';
import { memoizeOne } from '../memoize.ts';

type Program = 'bot' | 'service';

/** The file of a language, in the format of i18next: texts in groups, and the forms of one that depends on a number as `votes_one`. */
export interface Translations {
  readonly [key: string]: string | Translations;
}

/**
 * What a language has of the texts of a program, from `locales/<program>/<language>.json`; nothing if there is no such
 * file, as in the bundle of somebody else. The files are beside a bundle, two folders above this one.
 */
export function readTranslations(program: Program, language: string): Translations {
  const url: string | undefined = import.meta.url; // A bundle of CommonJS has none.
  if (url === undefined) return {};
  const file = new URL(`${url.endsWith('.ts') ? '../..' : '.'}/locales/${program}/${language}.json`, url);
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
}

/** Texts by their keys; of one that depends on a number, the forms as `votes_one`. */
export type Messages = Pick<ReadonlyMap<string, string>, 'get'>;

const read = new Map<string, Messages>();

/** The texts of a language: those in code for English, otherwise those of its file, which is read once. */
export function textsOfLanguage(program: Program, english: object, language: string): Messages {
  if (language === 'en') return flattenOnce(english);
  const id = `${program}/${language}`;
  const messages = read.get(id) ?? byPath(readTranslations(program, language));
  read.set(id, messages);
  return messages;
}

/** All of them by their keys. */
export function messagesIn(program: Program, english: object, language: string): ReadonlyMap<string, string> {
  return language === 'en' ? flattenOnce(english) : flatten(readTranslations(program, language));
}

/** The groups that lead to a text. There are as many as English has keys. */
const paths = new Map<string, readonly string[]>();

function pathOf(key: string): readonly string[] {
  const known = paths.get(key);
  if (known !== undefined) return known;
  const path = key.split('.');
  paths.set(key, path);
  return path;
}

/** Without a map of the keys, which all languages together would have in memory for the few that are used. */
function byPath(translations: Translations): Messages {
  return {
    get(key) {
      let found: string | Translations | undefined = translations;
      for (const name of pathOf(key)) found = typeof found === 'object' ? found[name] : undefined;
      return typeof found === 'string' ? found : undefined;
    },
  };
}

const flattenOnce = memoizeOne(flatten);

const isPlural = (message: object) => 'one' in message && 'other' in message;

/** The texts of a catalogue by their keys, such as `parts.votes_one`. */
export function flatten(catalogue: object, prefix = ''): ReadonlyMap<string, string> {
  const flat = new Map<string, string>();
  for (const [key, message] of Object.entries(catalogue) as [string, string | object][]) {
    if (typeof message === 'string') flat.set(`${prefix}${key}`, message);
    // The forms for numbers of an English text are a group with this one.
    else
      for (const [name, text] of flatten(message, `${prefix}${key}${isPlural(message) ? '_' : '.'}`))
        flat.set(name, text);
  }
  return flat;
}

/** The keys of the English texts, without their forms for numbers. */
export const keysOf = memoizeOne(
  (english: object): ReadonlySet<string> =>
    new Set([...flattenOnce(english).keys()].map((key) => key.replace(/_(?:one|other)$/, ''))),
);

/** The names of the texts in a group: their keys without that of the group. */
export function namesOf(english: object, group: string): readonly string[] {
  return [...keysOf(english)].flatMap((key) => (key.startsWith(`${group}.`) ? [key.slice(group.length + 1)] : []));
}
