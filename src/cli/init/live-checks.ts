import { createServer } from 'node:net';
import { systemClock } from '@tallyhook/platform/clock';
import { type Finding, fail, pass, warn } from '@tallyhook/platform/doctor/check';
import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { SettingName } from '../../../config/settings.ts';
import { readDatabaseStatus } from '../../core/store/snapshots/snapshot.ts';
import { describeDiscordError } from '../../discord/discord-errors.ts';
import {
  fetchBotIdentity,
  fetchGuildName,
  fetchGuilds,
  fetchTextChannels,
  inspectChannel,
} from '../../discord/inspection.ts';
import { createDiscordRest, type DiscordRest } from '../../discord/rest.ts';
import { memoryBudgetStore } from '../../lookup/budget.ts';
import { fetchProfileOfKey } from '../../lookup/client.ts';
import { LookupError } from '../../lookup/lookup-error.ts';

/** The values that were entered before. */
export type EnteredValues = ReadonlyMap<SettingName, string>;
type Check = (value: string, entered: EnteredValues) => Promise<readonly Finding[]>;

/** Timeout of a request to the service (ms). */
const requestTimeoutMs = 8 * second;
/** View Channel, Send Messages, Embed Links, Attach Files, Read Message History and Manage Roles. */
const invitePermissions = 268_553_216;
const laterHint = 'Run `tallyhook doctor` later to check it.';

/** Checks values with real requests, each as soon as it is entered. */
export function createLiveChecks(discordApiUrl: string): Partial<Readonly<Record<SettingName, Check>>> {
  const restWith = (token: string) => createDiscordRest({ token, apiUrl: discordApiUrl });

  async function withDiscord(
    entered: EnteredValues,
    check: (rest: DiscordRest) => Promise<readonly Finding[]>,
  ): Promise<readonly Finding[]> {
    const token = entered.get('DISCORD_TOKEN');
    if (token === undefined) return [];
    try {
      return await check(restWith(token));
    } catch (error) {
      const { kind, reason } = describeDiscordError(error);
      if (kind === 'token') return [fail('Discord rejects this token (401).', 'Copy it again: Bot → Reset Token.')];
      if (kind === 'refused') return [fail(`Discord rejects the request (${reason}).`, 'Check DISCORD_API_URL.')];
      return [warn(`Discord could not be reached, so this was not checked: ${reason}.`, laterHint)];
    }
  }

  const checkKey =
    (kind: 'server' | 'bot'): Check =>
    async (key, entered) => {
      const baseUrl = entered.get('LOOKUP_BASE_URL');
      if (baseUrl === undefined) return [];
      try {
        const options = { kind, key, baseUrl, budget: memoryBudgetStore(), clock: systemClock };
        const { name } = await fetchProfileOfKey({ ...options, timeoutMs: requestTimeoutMs });
        return [pass(`This is the key of the ${kind} "${name}".`)];
      } catch (error) {
        return [describeLookupError(kind, error)];
      }
    };

  return {
    DISCORD_TOKEN: (token) =>
      withDiscord(new Map([['DISCORD_TOKEN', token]]), async (rest) => {
        const { name, applicationId } = await fetchBotIdentity(rest);
        const query = `client_id=${applicationId}&scope=bot+applications.commands&permissions=${invitePermissions}`;
        return [
          pass(`This is the token of "${name}" (${applicationId}).`),
          pass(`If it is not on your server yet, invite it: https://discord.com/oauth2/authorize?${query}`),
        ];
      }),
    DISCORD_GUILD_ID: (guildId, entered) =>
      withDiscord(entered, async (rest) => {
        const name = await fetchGuildName(rest, guildId);
        if (name !== null) return [pass(`This is the server "${name}".`)];
        return [fail('The bot is not on this server.', 'Invite it with the link above, or correct the id.')];
      }),
    ANNOUNCE_CHANNEL_ID: (channelId, entered) =>
      withDiscord(entered, async (rest) => {
        const { userId } = await fetchBotIdentity(rest);
        const access = await inspectChannel(rest, { channelId, userId, now: systemClock.now() });
        if (access.state === 'missing') return [fail('There is no such channel.', 'Copy the id again.')];
        if (access.state === 'hidden') {
          return [
            warn('The bot cannot see this channel.', 'Give it View Channel, Send Messages and Embed Links there.'),
          ];
        }
        if (access.state === 'unfit')
          return [fail(`"${access.name}" is not a channel for messages.`, 'Choose another.')];
        if (access.state !== 'seen') return [];
        const { name, missingPermissions: missing } = access;
        if (missing.length === 0) return [pass(`The bot can post in #${name}.`)];
        return [warn(`The bot cannot post in #${name}.`, `Give it there: ${missing.join(', ')}.`)];
      }),
    LOOKUP_SERVER_KEY: checkKey('server'),
    LOOKUP_BOT_KEY: checkKey('bot'),
    PUBLIC_URL: async (url) =>
      url.startsWith('https:') || /^http:\/\/(127\.|localhost)/.test(url)
        ? []
        : [warn('This address is not encrypted.', 'Most services send webhooks to https addresses only.')],
    PORT: async (port, entered) => checkPort(Number(port), entered.get('HOST') ?? '127.0.0.1'),
    DATABASE_URL: async (url) => {
      const status = await readDatabaseStatus(url);
      if (status.state === 'unreadable') return [warn(`The database cannot be used: ${status.reason}.`, laterHint)];
      if (status.state === 'foreign') return [fail('Another program has this database.', 'Choose another one.')];
      return [pass(status.state === 'absent' ? 'The database will be created.' : 'The database exists.')];
    },
  };
}

function describeLookupError(kind: 'server' | 'bot', error: unknown): Finding {
  if (error instanceof LookupError && error.code === 'lookup_key_refused') {
    return fail('The service rejects this key (401).', 'Copy it again from the dashboard.');
  }
  if (error instanceof LookupError && error.code === 'lookup_wrong_key_type') {
    return fail(`This key does not belong to a ${kind} (400).`, 'Keys of servers and of bots are different.');
  }
  if (error instanceof LookupError && error.code === 'lookup_not_found') {
    return fail('The address does not have this API (404).', 'Check LOOKUP_BASE_URL.');
  }
  return warn(`The key was not checked: ${messageOf(error)}`, laterHint);
}

function checkPort(port: number, host: string): Promise<readonly Finding[]> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isUsed = error.code === 'EADDRINUSE';
      const problem = isUsed ? 'is in use by another program' : `cannot be used (${error.code})`;
      resolve([warn(`The port ${port} ${problem}.`, 'If it is tallyhook itself, continue. Otherwise choose another.')]);
    });
    server.listen(port, host, () => server.close(() => resolve([])));
  });
}

/** A server or channel. The name is external text. */
export interface FoundId {
  readonly id: string;
  readonly name: string;
}

/** Reads what an id can be chosen from; null if that is not known, so that the id has to be entered. */
export type FetchChoices = (entered: EnteredValues) => Promise<readonly FoundId[] | null>;

/** The servers and channels that the entered bot token sees. */
export function createChoices(discordApiUrl: string): Partial<Readonly<Record<SettingName, FetchChoices>>> {
  const orNull = (fetch: (token: string, entered: EnteredValues) => ReturnType<FetchChoices>): FetchChoices => {
    return async (entered) => {
      const token = entered.get('DISCORD_TOKEN');
      // The check of the entered id says that Discord cannot be reached.
      return token === undefined ? null : fetch(token, entered).catch(() => null);
    };
  };
  const restWith = (token: string) => createDiscordRest({ token, apiUrl: discordApiUrl });
  return {
    DISCORD_GUILD_ID: orNull((token) => fetchGuilds(restWith(token))),
    ANNOUNCE_CHANNEL_ID: orNull(async (token, entered) => {
      const rest = restWith(token);
      const guildId = entered.get('DISCORD_GUILD_ID') ?? onlyOne(await fetchGuilds(rest))?.id;
      return guildId === undefined ? null : fetchTextChannels(rest, guildId);
    }),
  };
}

function onlyOne(found: readonly FoundId[]): FoundId | undefined {
  return found.length === 1 ? found[0] : undefined;
}
