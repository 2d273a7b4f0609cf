import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import { ChannelType, Routes } from 'discord-api-types/v10';
import { z } from 'zod';
import type { DiscordRest } from './rest.ts';

const timeoutMs = 2 * second;

const channels = z.array(z.object({ id: z.string() }));

const namedChannels = z.array(z.object({ id: z.string(), name: z.string(), type: z.number(), position: z.number() }));

/**
 * The channels of a guild in which announcements can be posted, in the order of Discord. Names are external text.
 * Throws what {@link DiscordRest} throws, and ZodError.
 */
export async function fetchTextChannels(
  rest: DiscordRest,
  guildId: string,
): Promise<readonly { readonly id: string; readonly name: string }[]> {
  const all = namedChannels.parse(await rest.get(Routes.guildChannels(guildId)));
  return all
    .filter(({ type }) => type === ChannelType.GuildText || type === ChannelType.GuildAnnouncement)
    .toSorted((a, b) => a.position - b.position);
}

/** The ids of the channels of a guild, without threads; null if Discord does not say in time. */
export function createGuildChannels(options: {
  readonly rest: DiscordRest;
  readonly clock: Clock;
  readonly log: Log;
}): (guildId: string) => Promise<ReadonlySet<string> | null> {
  const { rest, clock, log } = options;
  async function list(guildId: string): Promise<ReadonlySet<string> | null> {
    try {
      return new Set(channels.parse(await rest.get(Routes.guildChannels(guildId))).map(({ id }) => id));
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'the channels of a server could not be read');
      return null;
    }
  }
  return async (guildId) => (await settleWithin(timeoutMs, clock, list(guildId))) ?? null;
}
