import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import type { AppTexts, Texts } from '../texts/texts.ts';
import type { CommandInput } from './commands/command.ts';
import type { KnownGuilds } from './known-guilds.ts';

/** The languages of members who may get direct messages, as Discord's codes. Both reject with the errors of the store. */
export interface MemberLocales {
  /** Null if it is not known. */
  localeOf(userId: string): Promise<string | null>;
  setLocale(userId: string, locale: string): Promise<void>;
}

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

/** The texts in the language of what is written to. Never rejects, and takes at most half a second. */
export type ChannelTexts = (channelId: string) => Promise<Texts>;
export type GuildTexts = (guildId: string) => Promise<Texts>;
export type MemberTexts = (userId: string) => Promise<Texts>;

/** A message is sent in the language that is known after this time (ms). */
const timeoutMs = second / 2;

/** The texts in the configured language of a guild, or its own (`preferred_locale`); English while unknown. */
export function createGuildLanguages(options: {
  languages: AppTexts;
  guilds: KnownGuilds;
  /** The locale that is set for a guild, or for that of a channel; null to use the guild's own. */
  configured?: (place: { readonly channelId: string } | { readonly guildId: string }) => string | null;
  clock: Clock;
}) {
  const { languages, guilds, configured = () => null, clock } = options;

  async function localeOf(guildId: string | null): Promise<string | null> {
    return guildId === null ? null : ((await guilds.find(guildId))?.locale ?? null);
  }

  return {
    async ofChannel(channelId: string): Promise<Texts> {
      const locale = configured({ channelId });
      return languages.for(
        locale ?? (await settleWithin(timeoutMs, clock, guilds.ofChannel(channelId).then(localeOf))),
      );
    },
    async ofGuild(guildId: string): Promise<Texts> {
      const locale = configured({ guildId });
      return languages.for(locale ?? (await settleWithin(timeoutMs, clock, localeOf(guildId))));
    },
  };
}
