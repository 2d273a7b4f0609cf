import type { Catalogue } from './catalogue.ts';
import type { Locale } from './locale.ts';
import { en } from './locales/en.ts';
import { id } from './locales/id.ts';
import { pl } from './locales/pl.ts';
import { ru } from './locales/ru.ts';
import { tr } from './locales/tr.ts';
import { uk } from './locales/uk.ts';

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
  pl,
  tr,
  ru,
  uk,
  ja: en,
  ko: en,
  'zh-CN': en,
  hi: en,
  id,
  vi: en,
};
