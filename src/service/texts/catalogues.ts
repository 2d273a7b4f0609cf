import { cataloguesOf } from '../../texts/catalogue.ts';
import { type Locale, languageOf, locales } from '../../texts/locale.ts';
import { en } from './en.ts';

export const catalogues = cataloguesOf('service', en);

/** One locale of each language, for the choice. */
export const languages: readonly Locale[] = locales.filter(
  (locale, index) => locales.findIndex((each) => languageOf(each) === languageOf(locale)) === index,
);
