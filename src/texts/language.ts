import { day, formatExactly } from '../platform/durations.ts';
import { once } from '../platform/memoize.ts';
import type { PlaceholderText, PluralForms } from './catalogue.ts';
import type { Locale } from './locale.ts';
import { joined, type Markup, trustedMarkup } from './markup.ts';

/** The values of a message by the names of its placeholders. */
export type Values<Value extends string> = Readonly<Record<string, Value>>;

/**
 * Fills in the messages of one language. Markup accepts only markup as values, so external text is escaped before it
 * gets there. Each throws an Error for a placeholder without a value.
 */
export type Language = ReturnType<typeof createLanguage>;

/** Numbers whose plural category is in memory. */
const maxCategories = 1_000;

export function createLanguage(locale: Locale) {
  // Most languages are only used to register the commands, without numbers, and each of these takes 0.3 ms and 0.2 MB.
  const plurals = once(() => new Intl.PluralRules(locale));
  const digits = once(() => new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }));
  const dates = once(() => new Intl.DateTimeFormat(locale, { timeZone: 'UTC', month: 'long', day: 'numeric' }));
  /** That of three words: the last two may have a word between them. */
  const comma = once(() => new Intl.ListFormat(locale).formatToParts(['1', '2', '3'])[1]?.value ?? ', ');
  const text = (message: string, values: Values<Markup> = {}) => trustedMarkup(fill(message, values));
  // Formatting takes a microsecond, and most numbers have no digits to group.
  const formatNumber = (value: number) =>
    Number.isInteger(value) && value > 0 && value < 1_000 ? String(value) : digits().format(value);
  const number = (value: number) => trustedMarkup(formatNumber(value));
  /** Selecting a plural category takes longer than filling in the text. */
  const categories = new Map<number, Intl.LDMLPluralRule>();
  function categoryOf(count: number): Intl.LDMLPluralRule {
    const known = categories.get(count);
    if (known !== undefined) return known;
    const category = plurals().select(count);
    if (categories.size < maxCategories) categories.set(count, category);
    return category;
  }
  const formFor = (forms: PluralForms, count: number) => forms[categoryOf(count)] ?? forms.other;
  return {
    locale,
    /** A message that Discord renders. */
    text,
    /** The messages that need no values, also those of the groups within a group. */
    texts: completeTexts,
    /** The form for a number, which is formatted as `{count}`. */
    count: (forms: PluralForms, count: number, values: Values<Markup> = {}) =>
      text(formFor(forms, count), { ...values, count: number(count) }),
    /** A message for places without markup. */
    plain: fill,
    plainCount: (forms: PluralForms, count: number, values: Values<string> = {}) =>
      fill(formFor(forms, count), { ...values, count: formatNumber(count) }),
    /** A number with grouped digits and at most one decimal: 1,234,567. */
    number,
    /** A number with its sign: +10, −10, 0. */
    signed: (value: number) =>
      trustedMarkup(value < 0 ? `−${formatNumber(-value)}` : `${value > 0 ? '+' : ''}${number(value)}`),
    /** The parts that are not empty, with the language's comma: "one, two", "一、二". */
    list: (parts: readonly (Markup | null | undefined)[]) => joined(parts, comma()),
    /** A duration (ms) in the largest unit that divides it: "36 hours". */
    duration: (ms: number) => trustedMarkup(formatExactly(ms, locale)),
    /** A calendar day, or a period from its first to its last day, as day numbers: "16 – 22 November". Plain. */
    days: (first: number, last = first) =>
      dates()
        .formatRange(first * day, last * day)
        .replace(/[\u2009\u202F]/g, ' '),
  };
}

type CompleteTexts<Messages> = {
  readonly [Key in keyof Messages as Messages[Key] extends PlaceholderText | PluralForms
    ? never
    : Key]: Messages[Key] extends string ? Markup : CompleteTexts<Messages[Key]>;
};

function completeTexts<Messages extends object>(messages: Messages): CompleteTexts<Messages> {
  const entries = Object.entries(messages as Readonly<Record<string, string | object>>).flatMap(([key, message]) => {
    if (typeof message === 'string') return placeholder.test(message) ? [] : [[key, trustedMarkup(message)]];
    return 'other' in message ? [] : [[key, completeTexts(message)]];
  });
  return Object.fromEntries(entries) as CompleteTexts<Messages>;
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
export function fill(message: string, values: Values<string> = {}): string {
  const parts = partsOf(message);
  let filled = parts[0] ?? '';
  for (let index = 1; index < parts.length; index += 2) {
    const value = values[parts[index] ?? ''];
    if (value === undefined) throw new Error(`The text "${message}" has no value for {${parts[index]}}.`);
    filled += value + (parts[index + 1] ?? '');
  }
  return filled;
}
