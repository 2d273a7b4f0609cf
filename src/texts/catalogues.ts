import type { Catalogue } from './catalogue.ts';
import type { Locale } from './locale.ts';
import { de } from './locales/de.ts';
import { en } from './locales/en.ts';
import { es } from './locales/es.ts';
import { fr } from './locales/fr.ts';
import { hi } from './locales/hi.ts';
import { it } from './locales/it.ts';
import { ja } from './locales/ja.ts';
import { ko } from './locales/ko.ts';
import { nl } from './locales/nl.ts';
import { ptBR } from './locales/pt-br.ts';
import { vi } from './locales/vi.ts';
import { zhCN } from './locales/zh-cn.ts';

/** The texts by Discord's code of the language. */
export const catalogues: Readonly<Record<Locale, Catalogue>> = {
  'en-US': en,
  'en-GB': en,
  de,
  fr,
  'es-ES': es,
  'es-419': es,
  'pt-BR': ptBR,
  it,
  nl,
  pl: en,
  tr: en,
  ru: en,
  uk: en,
  ja,
  ko,
  'zh-CN': zhCN,
  hi,
  id: en,
  vi,
};
