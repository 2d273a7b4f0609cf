import type { Clock } from '@tallyhook/platform/clock';
import { Routes } from 'discord-api-types/v10';
import { z } from 'zod';
import { createAllowance, type KnownGuilds, rememberFromDiscord } from './known-guilds.ts';
import type { DiscordRest } from './rest.ts';

/** What servers and bots are called in Discord. External text. */
export interface NamesInDiscord {
  /** What is known now; what is not, or may have changed, is requested for the next time. */
  known(kind: 'server' | 'bot', id: string): string | null;
  /** Null if Discord does not say. Never rejects, but may take as long as Discord. */
  find(kind: 'server' | 'bot', id: string): Promise<string | null>;
}

/** Of a process without Discord. */
export const noNamesInDiscord: NamesInDiscord = { known: () => null, find: async () => null };

/** The share of the bot's requests that names of bots may use: votes must not wait for them. */
const shareOfRequests = 0.1;
/** So many names are requested at once, as after the start. */
const atOnce = 20;

const botSchema = z.object({ username: z.string(), global_name: z.string().nullish() });

export function createNamesInDiscord(options: {
  readonly rest: Pick<DiscordRest, 'get'>;
  readonly guilds: KnownGuilds;
  /** The share of this process in the bot's requests. */
  readonly requestsPerSecond: () => number;
  readonly clock: Clock;
}): NamesInDiscord {
  const { rest, guilds, requestsPerSecond, clock } = options;
  const bots = rememberFromDiscord(
    clock,
    async (id) => {
      const { username, global_name: shown } = botSchema.parse(await rest.get(Routes.user(id)));
      return { name: shown || username };
    },
    { mayRequest: createAllowance(() => requestsPerSecond() * shareOfRequests, clock, atOnce) },
  );
  const of = (kind: 'server' | 'bot') => (kind === 'server' ? guilds : bots);
  return {
    known: (kind, id) => of(kind).known(id)?.name ?? null,
    find: async (kind, id) => (await of(kind).find(id))?.name ?? null,
  };
}
