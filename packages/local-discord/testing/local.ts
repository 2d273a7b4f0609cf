import type { Person } from '../src/default-guild.ts';
import type { LocalDiscord, LocalDiscordOptions } from '../src/local-discord.ts';
import { type Repertoire, startBot } from './bot.ts';
import { localDiscord } from './local-discord.ts';
import { voteBot } from './vote-bot.ts';

export { localDiscord };

/** A local Discord with a connected discord.js bot. */
export async function inhabited(options: LocalDiscordOptions = {}, repertoire: Repertoire = voteBot) {
  const discord = await localDiscord(options);
  const bot = await startBot(discord, repertoire);
  const [mira, tomas] = discord.members as readonly [Person, Person, ...Person[]];
  const { general, announcements, premium } = discord.channels;
  return { discord, bot, mira, tomas, general, announcements, premium };
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON; undefined for a response without a body. */
  readonly json: Json;
  /** The id in the response; empty if there is none. */
  readonly id: string;
}

/** Any JSON value, for assertions. */
export type Json = { readonly [key: string | number]: Json } & { readonly length?: number };

/** Sends requests to the REST API, by default with the bot's token. */
export function rest(discord: LocalDiscord, authorization: string | null = `Bot ${discord.token}`) {
  return async (method: string, path: string, body?: unknown): Promise<Answered> => {
    const response = await fetch(`${discord.apiUrl}/v10${path}`, {
      method,
      headers: {
        ...(authorization === null ? {} : { authorization }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = text === '' ? undefined : JSON.parse(text);
    return { status: response.status, headers: response.headers, json, id: json?.id ?? '' };
  };
}
