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

/** The language of texts, which names its file: English and Spanish have the same in both regions. */
export function languageOf(locale: Locale): string {
  return locale.startsWith('en-') || locale.startsWith('es-') ? withoutRegion(locale) : locale;
}

export const defaultLocale = 'en-US' satisfies Locale;

/**
 * The first of the preferred languages that there are texts in, also of another region: `zh-TW` is answered in `zh-CN`.
 * English without one.
 * @param preferred Discord's codes; null or another text for an unknown language
 */
export function localeFor(...preferred: readonly (string | null | undefined)[]): Locale {
  for (const code of preferred) {
    const locale =
      locales.find((each) => each === code) ??
      locales.find((each) => withoutRegion(each) === withoutRegion(code ?? ''));
    if (locale !== undefined) return locale;
  }
  return defaultLocale;
}

/** True if sentences of the program itself, which are English, are in this language. */
export function isEnglish(locale: Locale): boolean {
  return withoutRegion(locale) === 'en';
}

function withoutRegion(code: string): string {
  return code.split('-', 1)[0] ?? code;
}
