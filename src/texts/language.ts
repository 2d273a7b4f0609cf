import { day, formatExactly } from '../platform/durations.ts';
import type { PluralForms } from './catalogue.ts';
import type { Locale } from './locale.ts';
import { type Markup, trustedMarkup } from './markup.ts';

/** The values of a message by the names of its placeholders. */
export type Values<Value extends string> = Readonly<Record<string, Value>>;

/**
 * Fills in the messages of one language. Markup accepts only markup as values, so external text is escaped before it
 * gets there. Each throws an Error for a placeholder without a value.
 */
export interface Language {
  readonly locale: Locale;
  /** A message that Discord renders. */
  text(message: string, values?: Values<Markup>): Markup;
  /** Messages without placeholders. */
  texts<Key extends string>(messages: Readonly<Record<Key, string>>): Readonly<Record<Key, Markup>>;
  /** The form for a number, which is formatted as `{count}`. */
  count(forms: PluralForms, count: number, values?: Values<Markup>): Markup;
  /** A message for places without markup. */
  plain(message: string, values?: Values<string>): string;
  plainCount(forms: PluralForms, count: number, values?: Values<string>): string;
  /** A number with grouped digits and at most one decimal: 1,234,567. */
  number(value: number): Markup;
  /** A number with its sign: +10, −10, 0. */
  signed(value: number): Markup;
  /** A duration (ms) in the largest unit that divides it: "36 hours". */
  duration(ms: number): Markup;
  /** A calendar day, or a period from its first to its last day, as day numbers: "16 – 22 November". Plain. */
  days(first: number, last?: number): string;
}

/** Numbers whose plural category is in memory. */
const maxCategories = 1_000;

export function createLanguage(locale: Locale): Language {
  const plurals = new Intl.PluralRules(locale);
  const digits = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const dates = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', month: 'long', day: 'numeric' });
  const text = (message: string, values: Values<Markup> = {}) => trustedMarkup(fill(message, values));
  // Formatting takes a microsecond, and most numbers have no digits to group.
  const formatNumber = (value: number) =>
    Number.isInteger(value) && value > 0 && value < 1_000 ? String(value) : digits.format(value);
  const number = (value: number) => trustedMarkup(formatNumber(value));
  /** Selecting a plural category takes longer than filling in the text. */
  const categories = new Map<number, Intl.LDMLPluralRule>();
  function categoryOf(count: number): Intl.LDMLPluralRule {
    const known = categories.get(count);
    if (known !== undefined) return known;
    const category = plurals.select(count);
    if (categories.size < maxCategories) categories.set(count, category);
    return category;
  }
  const formFor = (forms: PluralForms, count: number) => forms[categoryOf(count)] ?? forms.other;
  return {
    locale,
    text,
    texts(messages) {
      const entries = Object.entries<string>(messages).map(([key, message]) => [key, text(message)]);
      return Object.fromEntries(entries) as Readonly<Record<keyof typeof messages, Markup>>;
    },
    count: (forms, count, values = {}) => text(formFor(forms, count), { ...values, count: number(count) }),
    plain: (message, values = {}) => fill(message, values),
    plainCount: (forms, count, values = {}) => fill(formFor(forms, count), { ...values, count: formatNumber(count) }),
    number,
    signed: (value) =>
      trustedMarkup(value < 0 ? `−${formatNumber(-value)}` : `${value > 0 ? '+' : ''}${number(value)}`),
    duration: (ms) => trustedMarkup(formatExactly(ms, locale)),
    days: (first, last = first) => dates.formatRange(first * day, last * day).replace(/[\u2009\u202F]/g, ' '),
  };
}

/** A message in parts: texts at even positions, the names of placeholders at odd ones. */
type Parts = readonly string[];

/** Messages are constants, so this does not grow. */
const partsByMessage = new Map<string, Parts>();
const placeholder = /\{(\w+)\}/;

/** The parts of a message; placeholders are at odd positions. */
export function partsOf(message: string): Parts {
  let parts = partsByMessage.get(message);
  if (parts === undefined) {
    parts = message.split(placeholder);
    partsByMessage.set(message, parts);
  }
  return parts;
}

/** A plain message with its values. Throws an Error for a placeholder without a value. */
export function fill(message: string, values: Values<string>): string {
  const parts = partsOf(message);
  let filled = parts[0] ?? '';
  for (let index = 1; index < parts.length; index += 2) {
    const value = values[parts[index] ?? ''];
    if (value === undefined) throw new Error(`The text "${message}" has no value for {${parts[index]}}.`);
    filled += value + (parts[index + 1] ?? '');
  }
  return filled;
}
