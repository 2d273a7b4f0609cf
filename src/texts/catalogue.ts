import { lazily } from '../platform/memoize.ts';
import { type Locale, languageOf, locales } from './locale.ts';
import { readTranslations, type Translations } from './translations.ts';

/** A text that depends on a number: one form for each category of the language. */
export type PluralForms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

/** A text with a placeholder. */
export type PlaceholderText = `${string}{${string}}${string}`;

/**
 * The shape of texts: those with placeholders in English have some, and those with the forms "one" and "other" in English
 * depend on a number.
 */
export type Translated<Messages> = {
  readonly [Key in keyof Messages]: Messages[Key] extends string
    ? Messages[Key] extends PlaceholderText
      ? PlaceholderText
      : string
    : Messages[Key] extends { readonly one: string; readonly other: string }
      ? PluralForms
      : Translated<Messages[Key]>;
};

const categories = ['zero', 'one', 'two', 'few', 'many', 'other'] as const satisfies Intl.LDMLPluralRule[];

/** The texts of a program in each language, which is read when it is first used. A text that a language lacks is English. */
export function cataloguesOf<Messages extends object>(
  program: 'bot' | 'service',
  english: Messages,
): Readonly<Record<Locale, Translated<Messages>>> {
  const byLanguage = lazily(
    Object.fromEntries(
      locales
        .map(languageOf)
        .map((language) => [
          language,
          () => (language === 'en' ? english : translated(english, readTranslations(program, language))),
        ]),
    ),
  );
  const entries = locales.map((locale) => [locale, () => byLanguage[languageOf(locale)]] as const);
  return lazily(Object.fromEntries(entries)) as Readonly<Record<Locale, Translated<Messages>>>;
}

function translated(english: object, translations: Translations): object {
  const entries = Object.entries(english).map(([key, message]: [string, string | object]) => {
    const translation = translations[key];
    if (typeof message === 'string') return [key, typeof translation === 'string' ? translation : message];
    if (!('one' in message && 'other' in message))
      return [key, translated(message, typeof translation === 'object' ? translation : {})];
    const forms = categories.flatMap((category) => {
      const form = translations[`${key}_${category}`];
      return typeof form === 'string' ? [[category, form]] : [];
    });
    return [key, forms.some(([category]) => category === 'other') ? Object.fromEntries(forms) : message];
  });
  return Object.fromEntries(entries);
}
