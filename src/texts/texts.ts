import { closest } from '@tallyhook/platform/did-you-mean';
import { TallyhookError } from '@tallyhook/platform/errors';
import { createLanguage, type Language, type Values } from '@tallyhook/platform/texts/language';
import { defaultLocale, type Locale, languageOf, localeFor, locales } from '@tallyhook/platform/texts/locale';
import type { Markup, Plain } from '@tallyhook/platform/texts/markup';
import { partsOf } from '@tallyhook/platform/texts/message-parts';
import type { Flat, IsPlain, NameIn, ValuesOf } from '@tallyhook/platform/texts/messages';
import { createCatalogue, keysOf, messagesIn, namesOf, textsOfLanguage } from '@tallyhook/platform/texts/translations';
import { en } from '../../locales/en.ts';

/** All texts of the bot in English by their keys. */
export type TextMessages = Flat<typeof en>;
/** The key of a text: its path in `locales/en.ts`. */
export type TextKey = keyof TextMessages;
/** The names of the texts in a group: their keys without that of the group. */
export type TextIn<Group extends string> = NameIn<TextKey, Group>;

/** The values that a text needs, and what it is with them. */
export type TextValues<Key extends TextKey> = ValuesOf<
  TextMessages[Key],
  IsPlain<TextMessages[Key]> extends true ? Plain : Markup
>;
type Said<Key extends TextKey> = IsPlain<TextMessages[Key]> extends true ? string : Markup;

/**
 * All texts that members and owners see, in one language. Texts that Discord renders are {@link Markup} and accept only
 * Markup, so external text is escaped before it gets here. Plain ones are for places without markup (the command picker,
 * buttons, footers), and accept none.
 */
export interface Texts extends Pick<Language, 'locale' | 'number' | 'signed' | 'list' | 'duration' | 'days'> {
  /** Says a text: `text('claim.paid', { credits })`. Numbers are formatted; `count` also decides the form. */
  readonly text: <Key extends TextKey>(key: Key, ...values: TextValues<Key>) => Said<Key>;
  /** True if a group has a text of this name, such as a cause of an entry that another version wrote. */
  readonly has: <Group extends string>(group: Group, name: string) => name is TextIn<Group> & string;
  /** The names of the texts in a group. */
  readonly namesIn: <Group extends string>(group: Group) => readonly TextIn<Group>[];
  /** The parts of a text that pages fill in themselves: the names of its placeholders are at odd positions. */
  readonly partsOf: (key: TextKey) => readonly string[];
  /** These texts in other languages. */
  readonly languages: AppTexts;
}

/** The texts of an app in all languages. */
export interface AppTexts {
  /** The texts in a language; the same object each time. */
  in(locale: Locale): Texts;
  /** The texts in the first of the preferred languages that there are texts in; see {@link localeFor}. */
  for(...preferred: readonly (string | null | undefined)[]): Texts;
  /** The texts in every language, to recognise messages that were sent in another one. */
  all(): readonly Texts[];
}

/** @throws TallyhookError `text_invalid` */
export function createAppTexts(own: TextOverrides = {}): AppTexts {
  const overrides = readOverrides(own);
  const byLocale = new Map<string, { readonly language: Language; readonly texts: Texts }>();
  function load(locale: Locale) {
    const known = byLocale.get(locale);
    if (known !== undefined) return known;
    const messages = textsOfLanguage(catalogue, languageOf(locale));
    const replaced = overrides.get(locale);
    const english = languageOf(locale) === 'en' ? null : load(defaultLocale).language;
    const language = createLanguage(
      locale,
      replaced ? { get: (key) => replaced.get(key) ?? messages.get(key) } : messages,
      english,
    );
    const { number, signed, list, duration, days } = language;
    const created = {
      language,
      texts: { locale, ...sayingOf(language), number, signed, list, duration, days, languages },
    };
    byLocale.set(locale, created);
    return created;
  }
  const languages: AppTexts = {
    in: (locale) => load(locale).texts,
    // Nearly always, the first one is known.
    for: (...preferred) => byLocale.get(preferred[0] ?? '')?.texts ?? languages.in(localeFor(...preferred)),
    all: () => locales.map(languages.in),
  };
  return languages;
}

function sayingOf({ fill, find }: Language): Pick<Texts, 'text' | 'has' | 'namesIn' | 'partsOf'> {
  return {
    // The types say more than the language knows.
    text: ((key: string, values?: Values) => fill(key, values)) as Texts['text'],
    has: ((group: string, name: string) => keysOf(en).has(`${group}.${name}`)) as Texts['has'],
    namesIn: <Group extends string>(group: Group) => namesOf(en, group) as TextIn<Group>[],
    partsOf: (key) => find(key, 0),
  };
}

/** The texts of tallyhook as they are. */
export const ownTexts = createAppTexts();

/** {@link ownTexts} in a language. */
export const textsIn = ownTexts.in;

/**
 * Texts in place of tallyhook's, by language and key: `{ de: { 'credits.title': 'Münzen' } }`. A language is Discord's
 * code (`es-419`), or `en`, `es`, `pt` or `zh` for all of its regions. Keys are those of the English texts; of a text
 * that depends on a number, the key ends in the form (`parts.credits_one`).
 * @category Texts
 */
export type TextOverrides = Readonly<
  Partial<Record<Locale | 'en' | 'es' | 'pt' | 'zh', Readonly<Record<string, string>>>>
>;

/** Discord's limits (characters). */
const maxButton = 80;
const maxDescription = 100;
const maxText = 700;

/** The overriding texts of each language by their paths. @throws TallyhookError `text_invalid`, with all issues */
export function readOverrides(overrides: TextOverrides): ReadonlyMap<Locale, ReadonlyMap<string, string>> {
  const issues: string[] = [];
  const read = new Map<Locale, Map<string, string>>();
  // A region takes precedence over its language.
  const sorted = Object.entries(overrides).toSorted(([one], [other]) => one.length - other.length);
  for (const [code, texts] of sorted) {
    const matching = locales.filter((locale) => locale === code || locale.split('-', 1)[0] === code);
    if (matching.length === 0) issues.push(`there are no texts in ${quoted(code)}${suggestion(code, locales)}`);
    for (const locale of matching) {
      const messages = new Map([...messagesIn(catalogue, 'en'), ...messagesIn(catalogue, languageOf(locale))]);
      const own = read.get(locale) ?? new Map<string, string>();
      for (const [path, text] of Object.entries(texts)) {
        const found = issuesOf(path, text, messages).map((issue) => `${code} ${quoted(path)} ${issue}`);
        issues.push(...found.filter((issue) => !issues.includes(issue)));
        own.set(path, text);
      }
      read.set(locale, own);
    }
  }
  if (issues.length > 0) {
    throw new TallyhookError('text_invalid', `These texts cannot be used: ${issues.join('; ')}.`, {
      hint: 'The texts, their keys and placeholders are those of locales/en.ts.',
    });
  }
  return read;
}

/** Mistakes in a text, as ends of sentences that begin with its path. */
function issuesOf(path: string, text: unknown, messages: ReadonlyMap<string, string>): readonly string[] {
  const original = messages.get(path);
  if (original === undefined) return [`is not a text${suggestion(path, [...messages.keys()])}`];
  if (typeof text !== 'string' || text.trim() === '') return ['is empty'];
  const known = [...placeholdersIn(original), ...(isPluralForm(path) ? ['count'] : [])];
  const unknown = placeholdersIn(text).filter((name) => !known.includes(name));
  const allowed =
    known.length === 0
      ? 'has no placeholders'
      : `can have ${known
          .toSorted()
          .map((name) => `{${name}}`)
          .join(', ')}`;
  const maxLength = maxLengthOf(path);
  return [
    ...unknown.map((name) => `has the placeholder {${name}}${suggestion(name, known)}, but ${allowed}`),
    ...(text.length > maxLength ? [`has ${text.length} characters, of which ${maxLength} fit`] : []),
  ];
}

function placeholdersIn(text: string): readonly string[] {
  return partsOf(text).filter((_, index) => index % 2 === 1);
}

function isPluralForm(path: string): boolean {
  return /_(?:zero|one|two|few|many|other)$/.test(path);
}

function maxLengthOf(path: string): number {
  if (/(?:description|Option)$/.test(path)) return maxDescription;
  return /button/i.test(path) ? maxButton : maxText;
}

function suggestion(name: string, known: readonly string[]): string {
  const similar = closest(name, known);
  return similar === undefined ? '' : ` (did you mean ${quoted(similar)}?)`;
}

const quoted = (text: string) => JSON.stringify(text);

/** The bot's texts. */
export const catalogue = createCatalogue(en, import.meta.url, 'bot');
