import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import { withTimeout } from '@tallyhook/platform/with-timeout';
import { type PostingPermission, postingPermissions } from './commands/command.ts';
import {
  fetchGuild,
  fetchMember,
  fetchTextChannels,
  fetchUser,
  inspectChannel,
  type Member,
  memoizedApplicationId,
  permissionContextOf,
  searchMembers,
  unlessAbsent,
} from './inspection.ts';
import { mayManage } from './permissions.ts';
import type { DiscordRest } from './rest.ts';

/** Age after which Discord is asked again (ms). */
const refreshMs = 5 * minute;
/** Age up to which an answer is used while Discord does not respond (ms). */
const maxAgeMs = 10 * minute;
const timeoutMs = 5 * second;
const maxKnown = 5_000;

/** Names are external text. */
export interface GuildName {
  readonly id: string;
  readonly name: string;
}

export interface GuildMember {
  readonly name: string;
  /** The ids of the member's roles. */
  readonly roles: readonly string[];
  /** True if the member has the permission Manage Server, as of at most ten minutes ago. */
  readonly isManager: boolean;
}

/**
 * The guilds as the bot sees them: usually five minutes old at most, and never older than ten. Methods throw what
 * {@link DiscordRest} throws, ZodError and TimeoutError when Discord has not said it for so long.
 */
export type GuildReader = ReturnType<typeof createGuildReader>;

export function createGuildReader({
  rest,
  clock,
}: {
  readonly rest: DiscordRest;
  /** Wall-clock time: the monotonic clock stops while a machine sleeps. */
  readonly clock: Clock;
}) {
  const guilds = createReadings(clock, (guildId) => fetchGuild(rest, guildId));
  const channels = createReadings(clock, (guildId) => fetchTextChannels(rest, guildId));
  const members = createReadings(clock, (key) => {
    const [guildId = '', userId = ''] = key.split(' ');
    return fetchMember(rest, guildId, userId);
  });
  const users = createReadings(clock, (userId) => fetchUser(rest, userId));
  let bot: string | undefined;

  return {
    /** Null if the bot is not in the guild. */
    guild: guilds,
    /** The channels in which announcements can be posted. */
    channels,
    applicationId: memoizedApplicationId(rest),
    /** Permissions that the bot lacks in a channel, so that it cannot post there; null if they are not known. */
    async missingIn(channelId: string): Promise<readonly PostingPermission[] | null> {
      try {
        bot ??= (await fetchUser(rest)).id;
        const access = await inspectChannel(rest, { channelId, userId: bot, now: clock.now() });
        if (access.state !== 'seen') return access.state === 'unfit' ? ['Send Messages'] : ['View Channel'];
        return postingPermissions.filter((name) => access.missingPermissions.includes(name));
      } catch {
        return null;
      }
    },
    /** Members whose name begins with a text, at most ten. */
    async search(guildId: string, text: string): Promise<readonly GuildName[]> {
      return withTimeout(timeoutMs, clock, searchMembers(rest, guildId, text));
    },
    /** Null if the member or the bot is not in the guild. */
    async member(guildId: string, userId: string): Promise<GuildMember | null> {
      const [guild, member] = await Promise.all([guilds(guildId), members(`${guildId} ${userId}`)]);
      if (guild === null || member === null) return null;
      const isManager = mayManage(permissionContextOf({ guild, member }, clock.now()));
      return { name: member.name, roles: member.roles, isManager };
    },
    /** The hash of the member's picture, in the guild or everywhere; null without one, and for those who are not in the guild. */
    avatar: async (guildId: string, userId: string): Promise<Member['avatar']> =>
      (await members(`${guildId} ${userId}`))?.avatar ?? null,
    /** The name of a user of Discord, in any guild or none; null if there is no such user. */
    user: async (userId: string): Promise<string | null> => (await users(userId))?.name ?? null,
  };
}

/** Reads by key, each once at a time. */
function createReadings<Value>(clock: Clock, read: (key: string) => Promise<Value>) {
  const known = new BoundedMap<{ readonly at: number; readonly value: Value | null }>(maxKnown);
  const running = new Map<string, Promise<Value | null>>();

  async function readAgain(key: string): Promise<Value | null> {
    // Its age counts from the request on.
    const at = clock.now();
    const value = await withTimeout(timeoutMs, clock, unlessAbsent(read(key)));
    known.set(key, { at, value });
    return value;
  }

  return async (key: string): Promise<Value | null> => {
    const latest = known.get(key);
    const isWithin = (ms: number): boolean => {
      const age = latest === undefined ? Number.POSITIVE_INFINITY : clock.now() - latest.at;
      // Negative after the clock was set back.
      return age >= 0 && age < ms;
    };
    if (latest !== undefined && isWithin(refreshMs)) return latest.value;
    let reading = running.get(key);
    if (reading === undefined) {
      reading = readAgain(key).finally(() => running.delete(key));
      running.set(key, reading);
    }
    try {
      return await reading;
    } catch (error) {
      if (latest !== undefined && isWithin(maxAgeMs)) return latest.value;
      throw error;
    }
  };
}
