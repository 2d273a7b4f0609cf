import { Routes } from 'discord.js';
import { z } from 'zod';
import { BoundedMap } from '../platform/bounded-map.ts';
import type { Clock } from '../platform/clock.ts';
import { hour, minute, second } from '../platform/durations.ts';
import { settleWithin } from '../platform/with-timeout.ts';
import { type Texts, textsFor } from '../texts/texts.ts';
import { describeDiscordError } from './discord-errors.ts';
import type { DiscordRest } from './rest.ts';

/** The texts in the language of what is written to. Never rejects, and takes at most half a second. */
export type ChannelTexts = (channelId: string) => Promise<Texts>;
export type GuildTexts = (guildId: string) => Promise<Texts>;
export type MemberTexts = (userId: string) => Promise<Texts>;

/** A message is sent in the language that is known after this time (ms). */
const timeoutMs = second / 2;
/** How long the request for what was known before is waited for: two of these fit into the time above (ms). */
const refreshTimeoutMs = second / 5;
/** How long the language of a guild is taken as known (ms). */
const lifetimeMs = hour;
/** How long a request is not repeated that Discord has refused, and one that it has not answered (ms). */
const retryAfterRefusalMs = 5 * minute;
const retryAfterFailureMs = 5 * second;
/** Guilds and channels that are remembered. */
const maxKnown = 10_000;

const channelSchema = z.object({ guild_id: z.string().nullish() });
const guildSchema = z.object({ preferred_locale: z.string().nullish() });

export interface GuildLanguages {
  readonly ofChannel: ChannelTexts;
  readonly ofGuild: GuildTexts;
  /** The guild may have another language, so it is requested again. */
  refresh(guildId: string): void;
}

/**
 * The texts in the language of a guild: the configured one, or the guild's own as Discord shows it ("Guild Object",
 * `preferred_locale`). English while neither is known.
 */
export function createGuildLanguages(options: {
  rest: Pick<DiscordRest, 'get'>;
  /** Of a guild, or of the guild of a channel; null to use the guild's own. */
  configured?: (place: { readonly channelId: string } | { readonly guildId: string }) => string | null;
  clock: Clock;
}): GuildLanguages {
  const { rest, configured = () => null, clock } = options;

  const guilds = remembered(clock, async (channelId) => {
    const { guild_id: guildId } = channelSchema.parse(await rest.get(Routes.channel(channelId)));
    return guildId ?? null;
  });
  const locales = remembered(clock, async (guildId) => {
    const { preferred_locale: locale } = guildSchema.parse(await rest.get(Routes.guild(guildId)));
    return locale ?? null;
  });

  async function localeOfChannel(channelId: string): Promise<string | null> {
    const guildId = await guilds.of(channelId);
    return guildId === null ? null : locales.of(guildId);
  }

  return {
    async ofChannel(channelId) {
      const locale = configured({ channelId });
      return textsFor(locale ?? (await settleWithin(timeoutMs, clock, localeOfChannel(channelId))));
    },
    async ofGuild(guildId) {
      const locale = configured({ guildId });
      return textsFor(locale ?? (await settleWithin(timeoutMs, clock, locales.of(guildId))));
    },
    refresh: locales.expire,
  };
}

interface Remembered {
  /** Undefined before the first response. */
  value: string | null | undefined;
  staleAt: number;
  request: Promise<string | null> | null;
}

/**
 * Remembers what `fetch` returned for each id. The last known value is used while it fails, and as long as a later
 * request takes. Never rejects.
 */
function remembered(clock: Clock, fetch: (id: string) => Promise<string | null>) {
  const known = new BoundedMap<Remembered>(maxKnown);

  function expire(id: string): void {
    const entry = known.get(id);
    if (entry !== undefined) entry.staleAt = Number.NEGATIVE_INFINITY;
  }

  async function of(id: string): Promise<string | null> {
    const entry: Remembered = known.get(id) ?? { value: undefined, staleAt: Number.NEGATIVE_INFINITY, request: null };
    known.set(id, entry);
    const { value: last, request: pending } = entry;
    if (clock.monotonic() < entry.staleAt || (pending !== null && last !== undefined)) return last ?? null;
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

  return { of, expire };
}
