import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import { withTimeout } from '@tallyhook/platform/with-timeout';
import { RESTJSONErrorCodes, Routes } from 'discord-api-types/v10';
import { z } from 'zod';
import { type PostingPermission, postingPermissions } from './commands/command.ts';
import { describeDiscordError } from './discord-errors.ts';
import { fetchBotIdentity, fetchTextChannels, inspectChannel, memoizedApplicationId } from './inspection.ts';
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

/** A guild of the bot. */
export interface GuildDetails extends GuildName {
  readonly ownerId: string;
  /** Discord's `preferred_locale`; null if it does not say. */
  readonly locale: string | null;
  /** The hash of its picture; null without one. */
  readonly icon: string | null;
  readonly roles: readonly (GuildName & { readonly permissions: string })[];
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
  const guilds = createReadings(clock, async (guildId): Promise<GuildDetails> => {
    const {
      owner_id: ownerId,
      preferred_locale: locale = null,
      icon = null,
      ...details
    } = guildSchema.parse(await rest.get(Routes.guild(guildId)));
    return { ...details, ownerId, locale, icon };
  });
  const channels = createReadings(clock, (guildId) => fetchTextChannels(rest, guildId));
  const members = createReadings(clock, async (key) => {
    const [guildId = '', userId = ''] = key.split(' ');
    return memberSchema.parse(await rest.get(Routes.guildMember(guildId, userId)));
  });

  const users = createReadings(clock, async (userId) => userSchema.parse(await rest.get(Routes.user(userId))));
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
        bot ??= (await fetchBotIdentity(rest)).userId;
        const access = await inspectChannel(rest, { channelId, userId: bot, now: clock.now() });
        if (access.state !== 'seen') return access.state === 'unfit' ? ['Send Messages'] : ['View Channel'];
        return postingPermissions.filter((name) => access.missingPermissions.includes(name));
      } catch {
        return null;
      }
    },
    /** Members whose name begins with a text, at most ten. */
    async search(guildId: string, text: string): Promise<readonly GuildName[]> {
      const query = new URLSearchParams({ query: text, limit: '10' });
      const request = rest.get(Routes.guildMembersSearch(guildId), query);
      const found = z.array(memberSchema).parse(await withTimeout(timeoutMs, clock, request));
      return found.map((member) => ({ id: member.user.id, name: nameOf(member) }));
    },
    /** Null if the member or the bot is not in the guild. */
    async member(guildId: string, userId: string): Promise<GuildMember | null> {
      const [guild, member] = await Promise.all([guilds(guildId), members(`${guildId} ${userId}`)]);
      if (guild === null || member === null) return null;
      const { roles } = member;
      const isTimedOut = Date.parse(member.communication_disabled_until ?? '') > clock.now();
      const isManager = mayManage({ guild, member: { id: userId, roles, isTimedOut } });
      return { name: nameOf(member), roles, isManager };
    },
    /** The hash of the member's picture, in the guild or everywhere; null without one, and for those who are not in the guild. */
    async avatar(guildId: string, userId: string): Promise<{ hash: string; isOfGuild: boolean } | null> {
      const member = await members(`${guildId} ${userId}`);
      const hash = member?.avatar ?? member?.user.avatar;
      return hash ? { hash, isOfGuild: hash === member?.avatar } : null;
    },
    /** The name of a user of Discord, in any guild or none; null if there is no such user. */
    async user(userId: string): Promise<string | null> {
      const found = await users(userId);
      return found && (found.global_name ?? found.username);
    },
  };
}

function nameOf({ nick, user }: z.infer<typeof memberSchema>): string {
  return nick ?? user.global_name ?? user.username;
}

/** Reads by key, each once at a time. */
function createReadings<Value>(clock: Clock, read: (key: string) => Promise<Value>) {
  const known = new BoundedMap<{ readonly at: number; readonly value: Value | null }>(maxKnown);
  const running = new Map<string, Promise<Value | null>>();

  async function readAgain(key: string): Promise<Value | null> {
    // Its age counts from the request on.
    const at = clock.now();
    const value = await withTimeout(timeoutMs, clock, read(key)).catch((error: unknown) => {
      const description = describeDiscordError(error);
      if (description.kind === 'refused' && unknownCodes.includes(description.code)) return null;
      throw error;
    });
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

const unknownCodes: readonly number[] = [
  RESTJSONErrorCodes.UnknownGuild,
  RESTJSONErrorCodes.UnknownMember,
  RESTJSONErrorCodes.UnknownUser,
  RESTJSONErrorCodes.MissingAccess,
];

/** The hash of a picture, which becomes a part of an address; null for anything else. */
const hash = z
  .string()
  .regex(/^\w{1,64}$/)
  .nullish()
  .catch(null);
const guildSchema = z.object({
  id: z.string(),
  icon: hash,
  name: z.string(),
  owner_id: z.string(),
  preferred_locale: z.string().nullish(),
  roles: z.array(z.object({ id: z.string(), name: z.string(), permissions: z.string().regex(/^\d{1,30}$/) })),
});
const userSchema = z.object({ id: z.string(), username: z.string(), global_name: z.string().nullish(), avatar: hash });
const memberSchema = z.object({
  user: userSchema,
  nick: z.string().nullish(),
  avatar: hash,
  roles: z.array(z.string()),
  communication_disabled_until: z.string().nullish(),
});
