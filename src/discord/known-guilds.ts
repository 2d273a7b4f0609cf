import type { Clock } from '@tallyhook/platform/clock';
import { Routes } from 'discord-api-types/v10';
import { z } from 'zod';
import { rememberFromDiscord } from './remembered.ts';
import type { DiscordRest } from './rest.ts';

const channelSchema = z.object({ guild_id: z.string().nullish() });
const guildSchema = z.object({
  name: z.string().nullish(),
  preferred_locale: z.string().nullish(),
  icon: z.string().nullish(),
});

/** Discord: "Guild Object", the name, `preferred_locale` and the hash of the icon. */
export interface KnownGuild {
  readonly name: string | null;
  readonly locale: string | null;
  readonly icon: string | null;
}

/** What was requested of guilds, once an hour each. */
export type KnownGuilds = ReturnType<typeof createKnownGuilds>;

export function createKnownGuilds(rest: Pick<DiscordRest, 'get'>, clock: Clock) {
  const guildIds = rememberFromDiscord(clock, async (channelId) => {
    const { guild_id: guildId } = channelSchema.parse(await rest.get(Routes.channel(channelId)));
    return guildId ?? null;
  });
  const guilds = rememberFromDiscord(clock, async (guildId): Promise<KnownGuild> => {
    const guild = guildSchema.parse(await rest.get(Routes.guild(guildId)));
    return { name: guild.name || null, locale: guild.preferred_locale ?? null, icon: guild.icon ?? null };
  });
  return {
    ...guilds,
    /** The guild of a channel; null if it is not known. Like `find`. */
    ofChannel: guildIds.find,
  };
}
