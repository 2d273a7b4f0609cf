import { day, formatExactly } from '../durations.ts';
import { once } from '../memoize.ts';
import type { Locale } from './locale.ts';
import { trustedMarkup } from './markup.ts';
import { partsOf } from './message-parts.ts';
import type { Messages } from './translations.ts';

/** The values of a text by the names of its placeholders. Numbers are formatted. */
export type Values<Value = string> = Readonly<Record<string, Value | number>>;

/** Says the texts of a language by their keys, without types. */
export interface Language extends ReturnType<typeof createFormats> {
  /** The parts of a text, with the names of its placeholders at odd positions. @throws Error for a key that English lacks */
  readonly find: (key: string, count?: unknown) => readonly string[];
  /** The text with its values. A placeholder that only the translation has stays as it is. */
  readonly fill: (key: string, values?: Values) => string;
}

/** Numbers whose plural category is in memory. */
const maxCategories = 1_000;

/**
 * @param messages the texts by their keys; of one that depends on a number, the forms as `votes_one`
 * @param english for texts that the language lacks; null if it is English
 */
export function createLanguage(locale: Locale, messages: Messages, english: Language | null): Language {
  const plurals = once(() => new Intl.PluralRules(locale));
  /** Selecting a plural category takes longer than filling in the text. */
  const categories = new Map<number, Intl.LDMLPluralRule>();
  function categoryOf(count: number): Intl.LDMLPluralRule {
    const known = categories.get(count);
    if (known !== undefined) return known;
    const category = plurals().select(count);
    if (categories.size < maxCategories) categories.set(count, category);
    return category;
  }
  function formFor(key: string, count: unknown): string | undefined {
    if (typeof count !== 'number') return undefined;
    return messages.get(`${key}_${categoryOf(count)}`) ?? messages.get(`${key}_other`);
  }
  function find(key: string, count?: unknown): readonly string[] {
    const message = messages.get(key) ?? formFor(key, count);
    if (message !== undefined) return partsOf(message);
    if (english === null) throw new Error(`There is no text "${key}".`);
    return english.find(key, count);
  }
  const formats = createFormats(locale);
  return {
    ...formats,
    find,
    fill(key, values = {}) {
      const parts = find(key, values['count']);
      let filled = parts[0] ?? '';
      for (let index = 1; index < parts.length; index += 2) {
        const name = parts[index] ?? '';
        const value = values[name] ?? `{${name}}`;
        filled += (typeof value === 'number' ? formats.number(value) : value) + (parts[index + 1] ?? '');
      }
      return filled;
    },
  };
}

/** Formats for all texts of a language. */
function createFormats(locale: Locale) {
  // Most languages are only used to register the commands, without numbers, and each of these takes 0.3 ms and 0.2 MB.
  const digits = once(() => new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }));
  const dates = once(() => new Intl.DateTimeFormat(locale, { timeZone: 'UTC', month: 'long', day: 'numeric' }));
  /** That of three words: the last two may have a word between them. */
  const comma = once(() => new Intl.ListFormat(locale).formatToParts(['1', '2', '3'])[1]?.value ?? ', ');
  // Formatting takes a microsecond, and most numbers have no digits to group.
  const formatNumber = (value: number) =>
    Number.isInteger(value) && value > 0 && value < 1_000 ? String(value) : digits().format(value);
  return {
    locale,
    /** A number with grouped digits and at most one decimal: 1,234,567. */
    number: (value: number) => trustedMarkup(formatNumber(value)),
    /** A number with its sign: +10, −10, 0. */
    signed: (value: number) =>
      trustedMarkup(value < 0 ? `−${formatNumber(-value)}` : `${value > 0 ? '+' : ''}${formatNumber(value)}`),
    /** The parts that are not empty, with the language's comma: "one, two", "一、二". */
    list: <Part extends string>(parts: readonly (Part | null | undefined)[]) =>
      // Our own comma adds no markup.
      parts.filter((part) => part).join(comma()) as Part,
    /** A duration (ms) in the largest unit that divides it: "36 hours". */
    duration: (ms: number) => trustedMarkup(formatExactly(ms, locale)),
    /** A calendar day, or a period from its first to its last day, as day numbers: "16 – 22 November". Plain. */
    days: (first: number, last = first) =>
      dates()
        .formatRange(first * day, last * day)
        .replace(/[\u2009\u202F]/g, ' '),
  };
}
