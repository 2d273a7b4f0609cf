/** The languages of Discord's client and the choice of a localization. Discord: "Locales", "Locale fallbacks". */

/** Native names by locale, in Discord's order. */
export const localeNames = {
  id: 'Bahasa Indonesia',
  da: 'Dansk',
  de: 'Deutsch',
  'en-GB': 'English, UK',
  'en-US': 'English, US',
  'es-ES': 'Español',
  'es-419': 'Español, LATAM',
  fr: 'Français',
  hr: 'Hrvatski',
  it: 'Italiano',
  lt: 'Lietuviškai',
  hu: 'Magyar',
  nl: 'Nederlands',
  no: 'Norsk',
  pl: 'Polski',
  'pt-BR': 'Português do Brasil',
  ro: 'Română',
  fi: 'Suomi',
  'sv-SE': 'Svenska',
  vi: 'Tiếng Việt',
  tr: 'Türkçe',
  cs: 'Čeština',
  el: 'Ελληνικά',
  bg: 'български',
  ru: 'Pусский',
  uk: 'Українська',
  hi: 'हिन्दी',
  th: 'ไทย',
  'zh-CN': '中文',
  ja: '日本語',
  'zh-TW': '繁體中文',
  ko: '한국어',
} as const;

export type Locale = keyof typeof localeNames;

export const defaultLocale: Locale = 'en-US';

export const locales = Object.keys(localeNames) as readonly Locale[];

export function isLocale(text: string): text is Locale {
  return Object.hasOwn(localeNames, text);
}

const fallbacks: Partial<Record<Locale, Locale>> = { 'en-US': 'en-GB', 'en-GB': 'en-US', 'es-419': 'es-ES' };

/** Texts by locale. */
export type Localizations = Readonly<Record<string, string | null | undefined>> | null | undefined;

/** The text for a locale or its fallback; undefined if the dictionary has neither. */
export function findLocalized(localizations: Localizations, locale: Locale): string | undefined {
  const fallback = fallbacks[locale];
  return localizations?.[locale] ?? (fallback && localizations?.[fallback]) ?? undefined;
}
