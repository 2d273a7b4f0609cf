import { readFileSync } from 'node:fs';

/** The file of a language, in the format of i18next: groups of texts, and the forms of a text that depends on a number as `votes_one`. */
export interface Translations {
  readonly [key: string]: string | Translations;
}

/**
 * The texts of a program in a language, from `locales/<program>/<language>.json`; none if there is no such file, as in the
 * bundle of somebody else. Beside the modules of a bundle, two folders above this one.
 */
export function readTranslations(program: 'bot' | 'service', language: string): Translations {
  const url: string | undefined = import.meta.url; // A bundle of CommonJS has none.
  if (url === undefined) return {};
  const file = new URL(`${url.endsWith('.ts') ? '../..' : '.'}/locales/${program}/${language}.json`, url);
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
}
