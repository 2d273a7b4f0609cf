import { byLocale, type Locale, locales } from '../../texts/locale.ts';
import type { ServiceCatalogue } from './catalogue.ts';
import { de } from './locales/de.ts';
import { en } from './locales/en.ts';
import { es } from './locales/es.ts';
import { fr } from './locales/fr.ts';
import { hi } from './locales/hi.ts';
import { id } from './locales/id.ts';
import { it } from './locales/it.ts';
import { ja } from './locales/ja.ts';
import { ko } from './locales/ko.ts';
import { nl } from './locales/nl.ts';
import { pl } from './locales/pl.ts';
import { ptBR } from './locales/pt-br.ts';
import { ru } from './locales/ru.ts';
import { tr } from './locales/tr.ts';
import { uk } from './locales/uk.ts';
import { vi } from './locales/vi.ts';
import { zhCN } from './locales/zh-cn.ts';

export const catalogues: Readonly<Record<Locale, ServiceCatalogue>> = byLocale({
  ...{ en, de, fr, es, it, nl, pl, tr, ru, uk, ja, ko, hi, id, vi },
  'pt-BR': ptBR,
  'zh-CN': zhCN,
});

/** One locale of each language, for the choice. */
export const languages: readonly Locale[] = locales.filter(
  (locale, index) => locales.findIndex((each) => catalogues[each] === catalogues[locale]) === index,
);
