import { day, formatAgo, formatDuration, formatWait } from '@tallyhook/platform/durations';
import { once } from '@tallyhook/platform/memoize';
import { createLanguage, type Language, type Values } from '@tallyhook/platform/texts/language';
import { defaultLocale, type Locale, languageOf, locales } from '@tallyhook/platform/texts/locale';
import type { Flat, NameIn, ValuesOf } from '@tallyhook/platform/texts/messages';
import { keysOf, namesOf, textsOfLanguage } from '@tallyhook/platform/texts/translations';
import { type Fragment, type Html, html } from '@tallyhook/platform/web/html';
import { timeElement } from '@tallyhook/platform/web/time-element';
import { en } from '../../locales/en.ts';
import { catalogue } from './catalogue.ts';

type Messages = Flat<typeof en>;
/** The key of a text: its path in `packages/listing-service/locales/en.ts`. */
export type ServiceTextKey = keyof Messages;
/** The names of the texts in a group: their keys without that of the group. */
export type ServiceTextIn<Group extends string> = NameIn<ServiceTextKey, Group>;

/** True if a group has a text of this name. */
export function isServiceTextIn<Group extends string>(
  group: Group,
  name: string,
): name is ServiceTextIn<Group> & string {
  return keysOf(en).has(`${group}.${name}`);
}

/** The names of the texts in a group. */
export function serviceNamesIn<Group extends string>(group: Group): readonly ServiceTextIn<Group>[] {
  return namesOf(en, group) as ServiceTextIn<Group>[];
}

/** One locale of each language, for the choice. */
export const languages: readonly Locale[] = locales.filter(
  (locale, index) => locales.findIndex((each) => languageOf(each) === languageOf(locale)) === index,
);

/** The texts of the pages in one language, with what fills them in. Dates are in UTC: the visitor's time zone is unknown. */
export type ServiceTexts = ReturnType<typeof createServiceTexts>;

function createServiceTexts(locale: Locale) {
  const { fill, find, number, list } = languageIn(locale);
  const dateFormat = (options: Intl.DateTimeFormatOptions) => {
    const format = once(() => new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options }));
    return (at: number): string => format().format(at);
  };
  const date = dateFormat({ dateStyle: 'medium' });
  const toMinute = { year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' } as const;
  const utc = { timeZoneName: 'short' } as const;
  const dateTime = dateFormat({ ...toMinute, ...utc });
  const exactDateTime = dateFormat({ ...toMinute, second: '2-digit', ...utc });
  const ratings = once(() => new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 }));
  return {
    locale,
    /** A text whose values are texts, too; it is escaped where it is inserted. `count` also decides the form. */
    text: <Key extends ServiceTextKey>(key: Key, ...[values]: ValuesOf<Messages[Key], string>): string =>
      fill(key, values as Values | undefined),
    /** A text with parts of a page as its values. */
    fill: <Key extends ServiceTextKey>(key: Key, ...[values]: ValuesOf<Messages[Key], Fragment>): Html => {
      const given = (values ?? {}) as Readonly<Record<string, Fragment>>;
      const valueFor = (name: string) => given[name] ?? `{${name}}`;
      const shown = (value: Fragment) => (typeof value === 'number' ? number(value) : value);
      return html`${find(key, given['count']).map((part, index) => (index % 2 === 0 ? part : shown(valueFor(part))))}`;
    },
    /** Joins texts with the language's comma: "one, two", "一、二". */
    list,
    /** 1,234,567. */
    number: (value: number): string => number(value),
    /** A mean rating: 4.0. */
    rating: (value: number): string => ratings().format(value),
    /** A day (ms since the epoch). */
    date,
    /** A day without its year, for small places. */
    shortDate: dateFormat({ day: 'numeric', month: 'short' }),
    timeOfDay: dateFormat({ hour: '2-digit', minute: '2-digit', ...utc }),
    /** A time (ms since the epoch) to the minute. */
    dateTime: (at: number): Html => timeElement(at, dateTime(at)),
    /** A time to the second, for lists whose items follow each other closely. */
    exactDateTime: (at: number): Html => timeElement(at, exactDateTime(at)),
    /** How long ago something happened (both ms since the epoch), in the largest unit that fits. */
    ago: (at: number, now: number): Html => timeElement(at, formatAgo(at, now, locale)),
    /** A duration (ms) in hours and minutes, rounded up. */
    wait: (duration: number): string => formatWait(duration, locale),
    /** A duration (ms) in the largest unit that fits. */
    duration: (duration: number): string => formatDuration(duration, locale),
    days: (count: number): string => formatDuration(count * day, locale),
  };
}

function languageIn(locale: Locale): Language {
  const language = languageOf(locale);
  return createLanguage(
    locale,
    textsOfLanguage(catalogue, language),
    language === 'en' ? null : languageIn(defaultLocale),
  );
}

const textsByLocale = new Map<Locale, ServiceTexts>();

/** The texts of the pages in a language; the same object each time. */
export function serviceTextsIn(locale: Locale): ServiceTexts {
  let texts = textsByLocale.get(locale);
  if (texts === undefined) {
    texts = createServiceTexts(locale);
    textsByLocale.set(locale, texts);
  }
  return texts;
}

/** For programs. */
export const englishTexts = once(() => serviceTextsIn(defaultLocale));
