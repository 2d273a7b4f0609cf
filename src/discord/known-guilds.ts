import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { hour, minute, second } from '@tallyhook/platform/durations';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import { Routes } from 'discord-api-types/v10';
import { z } from 'zod';
import { describeDiscordError } from './discord-errors.ts';
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
export function rememberFromDiscord<Value>(
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
    /** What is known now, without waiting; what is not, or may have changed, is requested for the next time. */
    known(id: string): Value | null {
      const entry = known.get(id);
      if (entry === undefined || clock.monotonic() >= entry.staleAt) void find(id);
      return entry?.value ?? null;
    },
    /** It may have changed, so it is requested again. */
    expire(id: string): void {
      const entry = known.get(id);
      if (entry !== undefined) entry.staleAt = Number.NEGATIVE_INFINITY;
    },
  };
}

/** Allows so many in a second, and at once no more than that, or than `atOnce`. */
export function createAllowance(perSecond: () => number, clock: Clock, atOnce = 1): () => boolean {
  let left = Number.POSITIVE_INFINITY;
  let countedAt = clock.monotonic();
  return () => {
    const now = clock.monotonic();
    left = Math.min(Math.max(atOnce, perSecond()), left + ((now - countedAt) / second) * perSecond());
    countedAt = now;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}
