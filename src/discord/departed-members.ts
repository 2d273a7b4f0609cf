import { DiscordAPIError } from '@discordjs/rest';
import type { Clock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import { RESTJSONErrorCodes, Routes } from 'discord-api-types/v10';
import { z } from 'zod';
import { createAllowance, type KnownGuilds, rememberFromDiscord } from './known-guilds.ts';
import type { DiscordRest } from './rest.ts';

/** A board is shown without the names that are not known after this time (ms). */
const timeoutMs = second / 2;
/** How long it is taken as true that a member is in a guild, or has left it (ms). */
const membershipLifetimeMs = 10 * minute;
/** The share of the bot's requests that boards may use … */
const shareOfRequests = 0.1;
/** … after some boards at once. */
const maxRequestsAtOnce = 40;

const user = z.object({ username: z.string(), global_name: z.string().nullish() });

/**
 * The names of those who are not in a guild any more, by id: Discord shows a mention of them as their id. Those who are,
 * and of whom Discord says nothing within half a second, are missing. Names are external text. Never rejects.
 */
export type FindDeparted = (
  place: { readonly guildId: string } | { readonly channelId: string },
  userIds: readonly string[],
) => Promise<ReadonlyMap<string, string>>;

/** Asks Discord's REST API, which needs no intent. Nothing is stored. */
export function createFindDeparted(options: {
  readonly rest: Pick<DiscordRest, 'get'>;
  readonly guilds: KnownGuilds;
  /** The share of this process in the bot's requests. */
  readonly requestsPerSecond: () => number;
  readonly clock: Clock;
}): FindDeparted {
  const { rest, guilds, requestsPerSecond, clock } = options;
  const mayRequest = createAllowance(() => requestsPerSecond() * shareOfRequests, clock, maxRequestsAtOnce);
  const memberships = rememberFromDiscord(
    clock,
    async (key) => {
      const [guildId = '', userId = ''] = key.split(' ');
      try {
        await rest.get(Routes.guildMember(guildId, userId));
        return true;
      } catch (error) {
        if (hasLeft(error)) return false;
        throw error;
      }
    },
    { mayRequest, lifetimeMs: membershipLifetimeMs },
  );
  const names = rememberFromDiscord(
    clock,
    async (userId) => {
      const { username, global_name: name } = user.parse(await rest.get(Routes.user(userId)));
      return name ?? username;
    },
    { mayRequest },
  );

  async function nameOf(guildId: string, userId: string): Promise<string | null> {
    return (await memberships.find(`${guildId} ${userId}`)) === false ? names.find(userId) : null;
  }

  return async (place, userIds) => {
    const guildId =
      'guildId' in place ? place.guildId : await settleWithin(timeoutMs, clock, guilds.ofChannel(place.channelId));
    if (guildId === null || guildId === undefined) return new Map();
    const found = userIds.map(async (userId) => {
      const name = await settleWithin(timeoutMs, clock, nameOf(guildId, userId));
      return name === null || name === undefined ? [] : [[userId, name] as const];
    });
    return new Map((await Promise.all(found)).flat());
  };
}

function hasLeft(error: unknown): boolean {
  const codes: readonly (string | number)[] = [RESTJSONErrorCodes.UnknownMember, RESTJSONErrorCodes.UnknownUser];
  return error instanceof DiscordAPIError && codes.includes(error.code);
}
