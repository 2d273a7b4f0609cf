import { day, formatAgo, formatDuration, formatWait } from '../../platform/durations.ts';
import { once } from '../../platform/memoize.ts';
import { type Fragment, type Html, html } from '../../platform/web/html.ts';
import { timeElement } from '../../platform/web/time-element.ts';
import { createLanguage, partsOf } from '../../texts/language.ts';
import { defaultLocale, type Locale } from '../../texts/locale.ts';
import { catalogues } from './catalogues.ts';

/** The texts of the pages in one language, with what fills them in. Dates are in UTC: the visitor's time zone is unknown. */
export type ServiceTexts = ReturnType<typeof createServiceTexts>;

function createServiceTexts(locale: Locale) {
  const catalogue = catalogues[locale];
  const { plain, plainCount, number } = createLanguage(locale);
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
    ...catalogue,
    locale,
    /** A text whose values are texts, too; it is escaped where it is inserted. */
    plain,
    /** The form of a text for a number, which is `{count}`. */
    plainCount,
    /** A text with parts of a page as its values. @throws Error for a placeholder without a value */
    fill: (message: string, values: Readonly<Record<string, Fragment>>): Html =>
      html`${partsOf(message).map((part, index) => (index % 2 === 0 ? part : valueIn(part, values)))}`,
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

function valueIn(name: string, values: Readonly<Record<string, Fragment>>): Fragment {
  const value = values[name];
  if (value === undefined) throw new Error(`A text has no value for {${name}}.`);
  return value;
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
