import { canvote } from '../../commands/canvote.ts';
import type { Command } from '../../commands/context.ts';
import { reviews } from '../../commands/reviews.ts';
import { stats } from '../../commands/stats.ts';
import type { Need } from '../../src/discord/commands/command.ts';
import { registerCommands } from '../../src/discord/registration/registration.ts';
import { createDiscordRest } from '../../src/discord/rest.ts';
import { ownTexts } from '../../src/texts/texts.ts';
import { commandRegistry, localDiscord } from '../support/bot.ts';
import { bot, fakeLookup, server } from '../support/command-fixture.ts';

export const listedServer = { name: 'server', lookup: fakeLookup('server', { profile: async () => server }) };
export const listedBot = { name: 'bot', lookup: fakeLookup('bot', { profile: async () => bot }) };
export const both = [listedServer, listedBot];

export interface Listed {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly version: string;
}

/** An application without commands, and what registers some. */
export async function registering(options: { token?: string } = {}) {
  const discord = await localDiscord({ rateLimits: false });
  const registry = await commandRegistry();
  const { applicationId, apiUrl } = discord;
  const rest = createDiscordRest({ token: options.token ?? discord.token, apiUrl });
  const routes = {
    global: `/applications/${applicationId}/commands`,
    guild: `/applications/${applicationId}/guilds/${discord.guildId}/commands`,
  } as const;
  const register = (
    listings: readonly (typeof listedServer)[] = both,
    guildId: string | null = null,
    commands: readonly Command[] = [canvote, reviews, stats],
    lacks: readonly Need[] = [],
  ) => {
    const context = { listings, isShared: false, lacks, languages: ownTexts };
    return registerCommands({ rest, applicationId, guildId, commands, context, registry });
  };
  const listed = async (scope: keyof typeof routes = 'global') => (await rest.get(routes[scope])) as readonly Listed[];
  const names = async (scope?: keyof typeof routes) => (await listed(scope)).map(({ name }) => name).toSorted();
  const idOf = async (name: string) => (await listed()).find((command) => command.name === name)?.id;
  /** The write requests since the last call. */
  let seen = 0;
  const writes = () => {
    const written = discord.requests.slice(seen).filter(({ method }) => method !== 'GET');
    seen = discord.requests.length;
    return written.map(({ method, path }) => `${method} ${path.replace(`/applications/${applicationId}`, '')}`);
  };
  return { discord, rest, applicationId, registry, register, routes, listed, names, idOf, writes };
}

/** A report without changes. */
export const noChanges = { created: [], updated: [], unchanged: [], deleted: [], conflicts: [], inaccessible: [] };
