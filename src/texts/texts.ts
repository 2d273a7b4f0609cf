import { createLanguage, type Language, type Values } from '@tallyhook/platform/texts/language';
import { defaultLocale, type Locale, languageOf, localeFor, locales } from '@tallyhook/platform/texts/locale';
import type { Markup, Plain } from '@tallyhook/platform/texts/markup';
import type { Flat, IsPlain, NameIn, ValuesOf } from '@tallyhook/platform/texts/messages';
import { keysOf, namesOf, textsOfLanguage } from '@tallyhook/platform/texts/translations';
import { en } from '../../locales/en.ts';
import { catalogue } from './catalogue.ts';
import { readOverrides, type TextOverrides } from './overrides.ts';

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
  /** Whether a group has a text of this name, such as a cause of an entry that another version wrote. */
  readonly has: <Group extends string>(group: Group, name: string) => name is TextIn<Group> & string;
  /** The names of the texts in a group. */
  readonly namesIn: <Group extends string>(group: Group) => readonly TextIn<Group>[];
  /** The parts of a text that pages fill in themselves: the names of its placeholders are at odd positions. */
  readonly partsOf: (key: TextKey) => readonly string[];
  /** The same texts in other languages. */
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
