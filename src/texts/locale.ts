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

/** A language of texts: English and Spanish have the same in both regions. */
type Language = 'en' | 'es' | Exclude<Locale, `${'en' | 'es'}-${string}`>;

/** What there is for each language, by locale. */
export function byLocale<Value>({
  en,
  es,
  ...others
}: Readonly<Record<Language, Value>>): Readonly<Record<Locale, Value>> {
  return { 'en-US': en, 'en-GB': en, 'es-ES': es, 'es-419': es, ...others };
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
      locales.find((each) => each === code) ?? locales.find((each) => languageOf(each) === languageOf(code ?? ''));
    if (locale !== undefined) return locale;
  }
  return defaultLocale;
}

/** Whether sentences of the program itself, which are English, are in this language. */
export function isEnglish(locale: Locale): boolean {
  return languageOf(locale) === 'en';
}

function languageOf(code: string): string {
  return code.split('-', 1)[0] ?? code;
}
