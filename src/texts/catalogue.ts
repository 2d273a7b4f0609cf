import type { en } from './locales/en.ts';

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

/** All texts in one language, in the shape of the English ones. */
export type Catalogue = Translated<typeof en>;
