import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import type { AppTexts, Texts } from '../texts/texts.ts';
import type { KnownGuilds } from './known-guilds.ts';

/** The texts in the language of what is written to. Never rejects, and takes at most half a second. */
export type ChannelTexts = (channelId: string) => Promise<Texts>;
export type GuildTexts = (guildId: string) => Promise<Texts>;
export type MemberTexts = (userId: string) => Promise<Texts>;

/** A message is sent in the language that is known after this time (ms). */
const timeoutMs = second / 2;

export type GuildLanguages = ReturnType<typeof createGuildLanguages>;

/**
 * The texts in the language of a guild: the configured one, or the guild's own as Discord shows it ("Guild Object",
 * `preferred_locale`). English while neither is known.
 */
export function createGuildLanguages(options: {
  languages: AppTexts;
  guilds: KnownGuilds;
  /** Of a guild, or of the guild of a channel; null to use the guild's own. */
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
