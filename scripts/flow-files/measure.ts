import { setTimeout as pause } from 'node:timers/promises';
import type { RunningService } from 'listing-service';
import { type LocalDiscord, startLocalDiscord } from 'local-discord';
import { startListingService, withoutShop } from '../../bench/commands/setup.ts';
import { type Child, startChild } from '../../bench/process/child.ts';
import { sign } from '../../src/webhook/signature.ts';
import { type CallsByThread, findMoreCalls } from './calls.ts';

/** The functions that run for every event, by file. */
export type FunctionsByFile = ReadonlyMap<string, readonly string[]>;

/** What runs for every event on each thread. */
export interface Flow {
  readonly main: FunctionsByFile;
  readonly writer: FunctionsByFile;
}

export interface Flows {
  /** A vote without rules and without a channel. */
  readonly delivery: Flow;
  /** `/canvote` of a member who may vote, with the answer of the service from the cache; received through the gateway. */
  readonly gatewayCommand: Flow;
  /** The same, received over HTTP. */
  readonly httpCommand: Flow;
}

interface RunningBot {
  readonly child: Child;
  readonly url: string;
  readonly discord: LocalDiscord;
}

const secret = 'flow-files-secret';
/** Events of the first run. */
const events = 30;
/** A function that runs for every event has at least this many more calls in a run with this many more events. */
const moreEvents = 20;
/** Pairs of runs. */
const rounds = 2;
/** After each run, for what its last event has started (ms). */
const settleMs = 300;
/** Discord's type of a response that is a message, and not a deferral. */
const messageType = 4;

/**
 * Runs the bot with a listing service and the local Discord, and counts the calls of its functions.
 * @param directory for the databases
 */
export async function measureFlows(directory: string): Promise<Flows> {
  const service = await startListingService(directory);
  try {
    return {
      ...(await withBot('gateway', directory, service, async (bot) => ({
        delivery: await measureFlow(bot, (number) => deliverVote(bot, number)),
        gatewayCommand: await measureFlow(bot, () => askWhetherToVote(bot)),
      }))),
      httpCommand: await withBot('http', directory, service, async (bot) =>
        measureFlow(bot, () => askWhetherToVote(bot)),
      ),
    };
  } finally {
    await service.stop();
  }
}

async function withBot<Result>(
  receives: 'gateway' | 'http',
  directory: string,
  service: RunningService,
  measure: (bot: RunningBot) => Promise<Result>,
): Promise<Result> {
  const discord = await startLocalDiscord({ rateLimits: false });
  try {
    const settings = {
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.apiUrl,
      DISCORD_GUILD_ID: discord.guildId,
      ...(receives === 'http' && { DISCORD_PUBLIC_KEY: discord.publicKey }),
      LOOKUP_BASE_URL: service.baseUrl,
      LOOKUP_SERVER_KEY: await service.issueKey(service.seeded?.server.id ?? ''),
      VOTE_WEBHOOK_SECRET: secret,
      DATABASE_URL: `sqlite:${directory}/${receives}.db`,
      CACHE_URL: `sqlite:${directory}/${receives}-cache.db`,
      PORT: '0',
      LOG_LEVEL: 'fatal',
    };
    const child = await startChild(new URL('./bot-process.ts', import.meta.url), [JSON.stringify(settings)]);
    try {
      const url = await child.ask<string>('url');
      while (discord.commands().length < withoutShop.length) await pause(20);
      if (receives === 'http') await useEndpoint(discord, `${url}/interactions`);
      return await measure({ child, url, discord });
    } finally {
      await child.stop();
    }
  } finally {
    await discord.stop();
  }
}

async function measureFlow(bot: RunningBot, send: (number: number) => Promise<void>): Promise<Flow> {
  let sent = 0;
  const run = async (count: number): Promise<CallsByThread> => {
    for (let left = count; left > 0; left -= 1) {
      await send(sent);
      sent += 1;
    }
    await pause(settleMs);
    return bot.child.ask<CallsByThread>('takeCalls');
  };
  // What runs for the first events alone, such as filling the cache, does not count.
  await run(events);
  const flow = { main: new Map<string, readonly string[]>(), writer: new Map<string, readonly string[]>() };
  // Repeated, because calls that have other causes can hide the difference, which no cause but the events has.
  for (let round = 0; round < rounds; round += 1) {
    const [few, many] = [await run(events), await run(events + moreEvents)];
    for (const thread of ['main', 'writer'] as const) {
      for (const [file, functions] of findMoreCalls(few[thread], many[thread], moreEvents)) {
        flow[thread].set(file, [...new Set([...(flow[thread].get(file) ?? []), ...functions])]);
      }
    }
  }
  return flow;
}

async function deliverVote({ url }: RunningBot, number: number): Promise<void> {
  const userId = String(400_000_000_000_000_000n + BigInt(number));
  const body = JSON.stringify({ event: 'server_vote', userId, timestamp: new Date().toISOString() });
  const headers = { 'content-type': 'application/json', 'x-webhook-signature': sign(body, secret) };
  const response = await fetch(`${url}/webhooks/vote`, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`A vote was answered with ${response.status}: ${await response.text()}`);
}

async function askWhetherToVote({ discord }: RunningBot): Promise<void> {
  const [member] = discord.members;
  const action = { name: 'canvote', userId: member?.id ?? '', channelId: discord.channels.general };
  const { type } = await discord.runCommand(action).response;
  if (type !== messageType) throw new Error(`/canvote was answered with a response of type ${type}.`);
}

/** Has Discord send interactions over HTTP. */
async function useEndpoint(discord: LocalDiscord, url: string): Promise<void> {
  const response = await fetch(`${discord.apiUrl}/v10/applications/@me`, {
    method: 'PATCH',
    headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ interactions_endpoint_url: url }),
  });
  if (!response.ok) throw new Error(`The endpoint was rejected with ${response.status}: ${await response.text()}`);
}
