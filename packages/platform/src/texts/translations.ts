import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { memoizeOne } from '../memoize.ts';

/** The file of a language, in the format of i18next: texts in groups, and the forms of one that depends on a number as `votes_one`. */
export interface Translations {
  readonly [key: string]: string | Translations;
}

/** The texts of a program in all its languages. */
export interface Catalogue {
  readonly english: object;
  /** Where the files of the other languages are; null in a bundle of CommonJS, which does not know. */
  readonly folder: URL | null;
  /** True if the files are compressed (`de.json.gz`), as in a bundle, of which they would be a quarter. */
  readonly isCompressed: boolean;
}

/**
 * @param english the texts in code, in `src/texts` of the program: the other languages are in its `locales`
 * @param url `import.meta.url` of the module with the texts
 * @param program the folder of the languages in a bundle, where those of several programs are beside each other
 */
export function createCatalogue(english: object, url: string | undefined, program: string): Catalogue {
  const isCompressed = url?.endsWith('.ts') !== true;
  const path = isCompressed ? `./locales/${program}/` : '../../locales/';
  return { english, folder: url === undefined ? null : new URL(path, url), isCompressed };
}

/** The translations of a language; none if it has no file, as in the bundle of somebody else. */
function readTranslations({ folder, isCompressed }: Catalogue, language: string): Translations {
  if (folder === null) return {};
  try {
    const file = readFileSync(new URL(`${language}.json${isCompressed ? '.gz' : ''}`, folder));
    return JSON.parse(String(isCompressed ? gunzipSync(file) : file));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
}

/** Texts by their keys; of one that depends on a number, the forms as `votes_one`. */
export type Messages = Pick<ReadonlyMap<string, string>, 'get'>;

const read = new WeakMap<Catalogue, Map<string, Messages>>();

/** The texts of a language: those in code for English, otherwise those of its file, which is read once. */
export function textsOfLanguage(catalogue: Catalogue, language: string): Messages {
  if (language === 'en') return flattenOnce(catalogue.english);
  const languages = read.get(catalogue) ?? new Map<string, Messages>();
  read.set(catalogue, languages);
  const messages = languages.get(language) ?? byPath(readTranslations(catalogue, language));
  languages.set(language, messages);
  return messages;
}

/** All texts of a language by their keys. */
export function messagesIn(catalogue: Catalogue, language: string): ReadonlyMap<string, string> {
  return language === 'en' ? flattenOnce(catalogue.english) : flatten(readTranslations(catalogue, language));
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

/**
 * Reads messages by their paths, without a map of the keys, which all languages together would have in memory for few.
 */
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
