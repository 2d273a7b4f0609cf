import { CDN } from '@discordjs/rest';
import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import { Routes } from 'discord-api-types/v10';
import { z } from 'zod';
import { createAllowance, type KnownGuilds, rememberFromDiscord } from './known-guilds.ts';
import type { DiscordRest } from './rest.ts';

/** A message is sent without what is not known after this time (ms). */
const timeoutMs = second / 2;
/** The share of the bot's requests that portraits may use: a backlog of announcements must not wait for them. */
const shareOfRequests = 0.1;
/** Pixels, of which Discord shows half. */
const imageSize = 128;

const memberSchema = z.object({
  nick: z.string().nullish(),
  avatar: z.string().nullish(),
  user: z.object({
    id: z.string(),
    username: z.string(),
    global_name: z.string().nullish(),
    avatar: z.string().nullish(),
  }),
});

/** How Discord shows a member of a guild. */
export interface Portrait {
  /** External text. */
  readonly name: string;
  /** Null for a member without an avatar of their own. */
  readonly avatarUrl: string | null;
}

/** What decorates messages. Never rejects, and takes at most half a second. */
export type Portraits = ReturnType<typeof createPortraits>;

/** Members and icons from Discord's REST API, which needs no intent. */
export function createPortraits(options: {
  readonly rest: Pick<DiscordRest, 'get'>;
  readonly guilds: KnownGuilds;
  /** The share of this process in the bot's requests. */
  readonly requestsPerSecond: () => number;
  readonly clock: Clock;
}) {
  const { rest, guilds, requestsPerSecond, clock } = options;
  const cdn = new CDN();
  const members = rememberFromDiscord(
    clock,
    async (key) => {
      const [guildId = '', userId = ''] = key.split(' ');
      const { nick, avatar, user } = memberSchema.parse(await rest.get(Routes.guildMember(guildId, userId)));
      const image = { size: imageSize, forceStatic: true, extension: 'png' } as const;
      const avatarUrl = avatar
        ? cdn.guildMemberAvatar(guildId, userId, avatar, image)
        : user.avatar
          ? cdn.avatar(userId, user.avatar, image)
          : null;
      return { name: nick ?? user.global_name ?? user.username, avatarUrl };
    },
    { mayRequest: createAllowance(() => requestsPerSecond() * shareOfRequests, clock) },
  );

  async function findMember(channelId: string, userId: string): Promise<Portrait | null> {
    const guildId = await guilds.ofChannel(channelId);
    return guildId === null ? null : members.find(`${guildId} ${userId}`);
  }

  async function findIcon(channelId: string): Promise<string | null> {
    const guildId = await guilds.ofChannel(channelId);
    const icon = guildId === null ? null : (await guilds.find(guildId))?.icon;
    return guildId && icon ? cdn.icon(guildId, icon, { size: imageSize, forceStatic: true, extension: 'png' }) : null;
  }

  return {
    /** Null for someone who is not in the guild of the channel, or while too much is requested. */
    ofMember: async (...of: Parameters<typeof findMember>) =>
      (await settleWithin(timeoutMs, clock, findMember(...of))) ?? null,
    /** The URL of the icon of the guild of a channel; null without one. */
    iconOf: async (channelId: string) => (await settleWithin(timeoutMs, clock, findIcon(channelId))) ?? null,
  };
}
