import type { Catalogue } from './catalogue.ts';
import type { Locale } from './locale.ts';
import { en } from './locales/en.ts';

/** The texts by Discord's code of the language. */
export const catalogues: Readonly<Record<Locale, Catalogue>> = {
  'en-US': en,
  'en-GB': en,
  de: en,
  fr: en,
  'es-ES': en,
  'es-419': en,
  'pt-BR': en,
  it: en,
  nl: en,
  pl: en,
  tr: en,
  ru: en,
  uk: en,
  ja: en,
  ko: en,
  'zh-CN': en,
  hi: en,
  id: en,
  vi: en,
};
