import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import type { AppTexts, Texts } from '../texts/texts.ts';
import type { CommandInput } from './commands/input.ts';
import type { MemberTexts } from './guild-languages.ts';

/** The languages of members who may get direct messages, as Discord's codes. Both reject with the errors of the store. */
export interface MemberLocales {
  /** Null if it is not known. */
  localeOf(userId: string): Promise<string | null>;
  setLocale(userId: string, locale: string): Promise<void>;
}

export type MemberLanguages = ReturnType<typeof createMemberLanguages>;

/** @param fallback the texts for members whose language is not known */
export function createMemberLanguages(options: {
  languages: AppTexts;
  locales: MemberLocales;
  fallback: MemberTexts;
  log: Log;
}) {
  const { languages, locales, fallback, log } = options;

  /** Most members keep their language, and a read needs no lock. */
  async function store(userId: string, locale: string): Promise<void> {
    if ((await locales.localeOf(userId)) !== locale) await locales.setLocale(userId, locale);
  }

  return {
    async textsOf(userId: string): Promise<Texts> {
      const locale = await locales.localeOf(userId).catch(() => null);
      return locale === null ? fallback(userId) : languages.for(locale);
    },
    /** Stores the language that a member uses Discord in. An error is logged: the next command tries again. */
    note({ userId, locale }: Pick<CommandInput, 'userId' | 'locale'>): void {
      store(userId, locale).catch((error: unknown) => {
        log.warn({ reason: messageOf(error) }, 'the language of a member could not be stored');
      });
    },
  };
}
