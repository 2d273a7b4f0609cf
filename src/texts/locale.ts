/** Discord's codes of the languages that members and servers are answered in. Discord: "Locales". */
export const locales = [
  'en-US',
  'en-GB',
  'de',
  'fr',
  'es-ES',
  'es-419',
  'pt-BR',
  'it',
  'nl',
  'pl',
  'tr',
  'ru',
  'uk',
  'ja',
  'ko',
  'zh-CN',
  'hi',
  'id',
  'vi',
] as const;
/** A language that Discord and tallyhook have. @category Texts */
export type Locale = (typeof locales)[number];

export const defaultLocale = 'en-US' satisfies Locale;
