import { CDN } from '@discordjs/rest';
import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { hour, minute, second } from '@tallyhook/platform/durations';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import { Routes } from 'discord-api-types/v10';
import { z } from 'zod';
import { describeDiscordError } from './discord-errors.ts';
import { fetchGuild, fetchMember, fetchUser, isNoMember } from './inspection.ts';
import type { DiscordRest } from './rest.ts';

const channelSchema = z.object({ guild_id: z.string().nullish() });

/** Guilds as they were requested, once an hour each. */
export type KnownGuilds = ReturnType<typeof createKnownGuilds>;

export function createKnownGuilds(rest: Pick<DiscordRest, 'get'>, clock: Clock) {
  const guildIds = rememberFromDiscord(clock, async (channelId) => {
    const { guild_id: guildId } = channelSchema.parse(await rest.get(Routes.channel(channelId)));
    return guildId ?? null;
  });
  const guilds = rememberFromDiscord(clock, async (guildId) => {
    const { name, locale, icon } = await fetchGuild(rest, guildId);
    return { name, locale, icon };
  });
  return {
    ...guilds,
    /** The guild of a channel; null if it is not known. Like `find`. */
    ofChannel: guildIds.find,
  };
}

/** How long the request for what was known before is waited for: two of these fit into half a second (ms). */
const refreshTimeoutMs = second / 5;
/** How long a response is taken as true, unless the caller says otherwise (ms). */
const usualLifetimeMs = hour;
/** How long a request is not repeated that Discord has refused, and one that it has not answered (ms). */
const retryAfterRefusalMs = 5 * minute;
const retryAfterFailureMs = 5 * second;
const maxKnown = 10_000;

interface Remembered<Value> {
  /** Undefined before the first response. */
  value: Value | undefined;
  staleAt: number;
  request: Promise<Value | null> | null;
}

/**
 * Remembers what `fetch` returned for each id, for an hour by default. The last known value is used while it fails, and as long as a later
 * request takes.
 * @param options.mayRequest asked before each request; without one, what is known is used
 * @param options.lifetimeMs how long a response is taken as true (ms)
 */
function rememberFromDiscord<Value>(
  clock: Clock,
  fetch: (id: string) => Promise<Value>,
  options: { readonly mayRequest?: () => boolean; readonly lifetimeMs?: number } = {},
) {
  const { mayRequest = () => true, lifetimeMs = usualLifetimeMs } = options;
  const known = new BoundedMap<Remembered<Value>>(maxKnown);

  /** Null if it is not known. Never rejects, but may take as long as Discord. */
  async function find(id: string): Promise<Value | null> {
    const entry: Remembered<Value> = known.get(id) ?? {
      value: undefined,
      staleAt: Number.NEGATIVE_INFINITY,
      request: null,
    };
    known.set(id, entry);
    const { value: last, request: pending } = entry;
    if (clock.monotonic() < entry.staleAt || (pending !== null && last !== undefined)) return last ?? null;
    if (pending === null && !mayRequest()) return last ?? null;
    entry.request ??= fetch(id)
      .then(
        (value) => {
          entry.value = value;
          entry.staleAt = clock.monotonic() + lifetimeMs;
          return value;
        },
        (error: unknown) => {
          const isRefused = describeDiscordError(error).kind !== 'unreachable';
          entry.staleAt = clock.monotonic() + (isRefused ? retryAfterRefusalMs : retryAfterFailureMs);
          return last ?? null;
        },
      )
      .finally(() => {
        entry.request = null;
      });
    if (last === undefined) return entry.request;
    const refreshed = await settleWithin(refreshTimeoutMs, clock, entry.request);
    return refreshed === undefined ? last : refreshed;
  }

  return {
    find,
    /** The value now, without waiting; one that is not known, or may have changed, is requested for the next time. */
    known(id: string): Value | null {
      const entry = known.get(id);
      if (entry === undefined || clock.monotonic() >= entry.staleAt) void find(id);
      return entry?.value ?? null;
    },
    /** Has the value requested again when it is needed next, because it may have changed. */
    expire(id: string): void {
      const entry = known.get(id);
      if (entry !== undefined) entry.staleAt = Number.NEGATIVE_INFINITY;
    },
  };
}

/** The share of the bot's requests for what decorates messages: votes and their announcements must not wait for them. */
const shareOfRequests = 0.1;
/** Requests at once, as for some boards, or after the start. */
const maxRequestsAtOnce = 40;
/** How long it is taken as true that a member is in a guild, or has left it (ms). */
const membershipLifetimeMs = 10 * minute;
/** A message is sent without what is not known after this time (ms). */
const decorationTimeoutMs = second / 2;
/** Avatars and icons: `size` in pixels, of which Discord shows half. */
const image = { size: 128, forceStatic: true, extension: 'png' } as const;

/** Names of servers and bots in Discord. External text. */
export interface NamesInDiscord {
  /** The name now; one that is not known, or may have changed, is requested for the next time. */
  known(kind: 'server' | 'bot', id: string): string | null;
  /** Null if Discord does not say. Never rejects, but may take as long as Discord. */
  find(kind: 'server' | 'bot', id: string): Promise<string | null>;
}

/** The names that a process without Discord knows. */
export const noNamesInDiscord: NamesInDiscord = { known: () => null, find: async () => null };

/**
 * The names of those who are not in a guild any more, by id: Discord shows a mention of them as their id. Those who are,
 * and of whom Discord says nothing within half a second, are missing. Names are external text. Never rejects.
 */
export type FindDeparted = (
  place: { readonly guildId: string } | { readonly channelId: string },
  userIds: readonly string[],
) => Promise<ReadonlyMap<string, string>>;

/** Name and picture of a member in a guild. The name is external text, and the picture null without an avatar. */
export interface Portrait {
  readonly name: string;
  readonly avatarUrl: string | null;
}

/** Members and icons of guilds. Never rejects, and takes at most half a second. */
export interface Portraits {
  /** Null for someone who is not in the guild of the channel, or while too much is requested. */
  ofMember(channelId: string, userId: string): Promise<Portrait | null>;
  /** The URL of the icon of the guild of a channel; null without one. */
  iconOf(channelId: string): Promise<string | null>;
}

/** Decorates messages with names and pictures from Discord's REST API, which needs no intent. Nothing is stored. */
export function createDecorations({
  rest,
  guilds,
  requestsPerSecond,
  clock,
}: {
  readonly rest: Pick<DiscordRest, 'get'>;
  readonly guilds: KnownGuilds;
  /** The share of this process in the bot's requests. */
  readonly requestsPerSecond: () => number;
  readonly clock: Clock;
}) {
  const cdn = new CDN();
  const mayRequest = createAllowance(() => requestsPerSecond() * shareOfRequests, clock);
  const users = rememberFromDiscord(clock, (userId) => fetchUser(rest, userId), { mayRequest });
  const members = rememberFromDiscord(
    clock,
    async (key): Promise<Portrait | 'left'> => {
      const [guildId = '', userId = ''] = key.split(' ');
      try {
        const { name, avatar } = await fetchMember(rest, guildId, userId);
        if (avatar === null) return { name, avatarUrl: null };
        const { hash, isOfGuild } = avatar;
        const ofGuild = () => cdn.guildMemberAvatar(guildId, userId, hash, image);
        return { name, avatarUrl: isOfGuild ? ofGuild() : cdn.avatar(userId, hash, image) };
      } catch (error) {
        if (isNoMember(error)) return 'left';
        throw error;
      }
    },
    { mayRequest, lifetimeMs: membershipLifetimeMs },
  );
  const inTime = async <Value>(value: Promise<Value | null>) =>
    (await settleWithin(decorationTimeoutMs, clock, value)) ?? null;
  const nameSource = (kind: 'server' | 'bot') => (kind === 'server' ? guilds : users);

  async function departedName(guildId: string, userId: string): Promise<string | null> {
    const isGone = (await members.find(`${guildId} ${userId}`)) === 'left';
    return isGone ? ((await users.find(userId))?.name ?? null) : null;
  }

  async function findMember(channelId: string, userId: string): Promise<Portrait | null> {
    const guildId = await guilds.ofChannel(channelId);
    const found = guildId === null ? null : await members.find(`${guildId} ${userId}`);
    return found === 'left' ? null : found;
  }

  async function findIcon(channelId: string): Promise<string | null> {
    const guildId = await guilds.ofChannel(channelId);
    const icon = guildId === null ? null : (await guilds.find(guildId))?.icon;
    return guildId && icon ? cdn.icon(guildId, icon, image) : null;
  }

  const findDeparted: FindDeparted = async (place, userIds) => {
    const guildId = 'guildId' in place ? place.guildId : await inTime(guilds.ofChannel(place.channelId));
    if (guildId === null) return new Map();
    const found = userIds.map(async (userId) => {
      const name = await inTime(departedName(guildId, userId));
      return name === null ? [] : [[userId, name] as const];
    });
    return new Map((await Promise.all(found)).flat());
  };
  const names: NamesInDiscord = {
    known: (kind, id) => nameSource(kind).known(id)?.name ?? null,
    find: async (kind, id) => (await nameSource(kind).find(id))?.name ?? null,
  };
  const portraits: Portraits = {
    ofMember: (channelId, userId) => inTime(findMember(channelId, userId)),
    iconOf: (channelId) => inTime(findIcon(channelId)),
  };
  return { names, findDeparted, portraits };
}

/** Allows so many in a second, and at once no more than that, or than {@link maxRequestsAtOnce}. */
function createAllowance(perSecond: () => number, clock: Clock): () => boolean {
  let left = Number.POSITIVE_INFINITY;
  let countedAt = clock.monotonic();
  return () => {
    const now = clock.monotonic();
    left = Math.min(Math.max(maxRequestsAtOnce, perSecond()), left + ((now - countedAt) / second) * perSecond());
    countedAt = now;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}
