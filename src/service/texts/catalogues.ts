import { type Locale, locales } from '../../texts/locale.ts';
import type { ServiceCatalogue } from './catalogue.ts';
import { en } from './locales/en.ts';

/** The languages that have texts of their own; all others show the English ones. */
const translated: Partial<Readonly<Record<Locale, ServiceCatalogue>>> = { 'en-US': en, 'en-GB': en };

export function catalogueIn(locale: Locale): ServiceCatalogue {
  return translated[locale] ?? en;
}

/** One locale of each language, for the choice. */
export const languages: readonly Locale[] = locales.filter(
  (locale, index) =>
    translated[locale] && locales.findIndex((each) => translated[each] === translated[locale]) === index,
);
