import type { en } from './locales/en.ts';

/** A text that depends on a number: one form for each category of the language. */
export type PluralForms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

type Translated<Messages> = {
  readonly [Key in keyof Messages]: Messages[Key] extends string
    ? string
    : Messages[Key] extends { readonly other: string }
      ? PluralForms
      : Translated<Messages[Key]>;
};

/** All texts in one language, in the shape of the English ones. */
export type Catalogue = Translated<typeof en>;
