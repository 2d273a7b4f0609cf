import { RejectedByClientError } from './errors.ts';
import { isLocale, type Locale } from './locales.ts';

/** @throws RejectedByClientError if Discord has no such language */
export function requireLocale(locale: string): Locale {
  if (isLocale(locale)) return locale;
  throw new RejectedByClientError('unknown_locale', `Discord has no language ${locale}`);
}
