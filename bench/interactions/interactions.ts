import { mkdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type LocalDiscord, startLocalDiscord } from 'local-discord';
import type { Benchmark, LogProgress, Profile } from '../benchmark.ts';
import { withoutShop } from '../commands/setup.ts';
import { type Child, startChild } from '../process/child.ts';
import { figure, type Report, within } from '../report.ts';
import { median } from '../samples.ts';
import { recordVotes } from './members.ts';
import type { InteractionLoad, InteractionResult } from './sender.ts';

const bot = new URL('../commands/tallyhook-bot.ts', import.meta.url);
/** Commands that only need the ledger here. */
const measured = ['canvote', 'credits'];
const connections = 64;
/** Discord shows "The application did not respond" after this time (ms). */
const discordTimeoutMs = 3_000;

/** What one run has measured; CPU time per interaction (ms). */
interface Run extends InteractionResult {
  readonly botCpu: number;
  readonly senderCpu: number;
}

type Figure = Exclude<keyof Run, 'wrong'>;

const method = `10,000 interactions over HTTP (\`POST /interactions\`) to one and to two processes with the role \`answer\` on one database:
each is signed and verified with Ed25519, is from another member, and is answered with the reply of \`/canvote\` or
\`/credits\` in the response. The sender, in a process of its own, signs them in advance and keeps 64 connections busy, so
with two cores two answering processes share them with it.`;

/** Interactions over HTTP, on one and on two processes with the role `answer` that share a database. */
export const interactions: Benchmark = {
  name: 'interactions',
  method,
  against: ['discord.js'],
  async measure(profile, logProgress) {
    const directory = join(profile.directory, 'interactions');
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
    const running: { stop(): Promise<void> }[] = [];
    try {
      return report(await measureAll(directory, running, profile, logProgress), profile);
    } finally {
      for (const part of running.reverse()) await part.stop();
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

function count({ quick }: Profile): number {
  return quick ? 1_000 : 10_000;
}

async function measureAll(
  directory: string,
  running: { stop(): Promise<void> }[],
  profile: Profile,
  logProgress: LogProgress,
): Promise<ReadonlyMap<number, readonly Run[]>> {
  const discord = await startLocalDiscord({ rateLimits: false });
  running.push(discord);
  const sender = await startChild(new URL('./sender.ts', import.meta.url));
  running.push(sender);
  const databaseUrl = `sqlite:${join(directory, 'tally.db')}`;
  logProgress('votes of the members');
  await recordVotes(databaseUrl, discord.guildId, count(profile));
  const bots: Child[] = [];
  const publicKey = await sender.ask<string>('publicKey');
  for (let number = 0; number < 2; number += 1) {
    const started = await startChild(bot, [JSON.stringify(settings(discord, databaseUrl, publicKey))]);
    running.push(started);
    bots.push(started);
  }
  while (discord.commands().length < withoutShop.length) await pause(5);
  const urls = await Promise.all(bots.map((each) => each.ask<string>('url')));
  const ports = urls.map((url) => Number(new URL(url).port));
  const place = {
    applicationId: discord.applicationId,
    guildId: discord.guildId,
    channelId: discord.channels.general,
    commands: discord.commands().flatMap(({ id, name }) => (measured.includes(name) ? { id, name } : [])),
    connections,
  };

  let first = 0;
  async function run(processes: number, count: number): Promise<Run> {
    const load: InteractionLoad = { ...place, ports: ports.slice(0, processes), count, first };
    // Members must exist, and ids be new.
    first += count;
    const before = await usage();
    const result = await sender.ask<InteractionResult>('send', load);
    const after = await usage();
    const { wrong } = result;
    if (wrong.length > 0) throw new Error(`${wrong.length} of ${count} responses are no messages, such as ${wrong[0]}`);
    const perInteraction = (name: 'bots' | 'sender') => (after[name] - before[name]) / 1_000 / count;
    return { ...result, botCpu: perInteraction('bots'), senderCpu: perInteraction('sender') };
  }
  async function usage() {
    const [own, ...others] = await Promise.all([sender, ...bots].map((child) => child.usage()));
    return { sender: own?.cpu ?? 0, bots: others.reduce((total, { cpu }) => total + cpu, 0) };
  }

  const runs = new Map<number, Run[]>([
    [1, []],
    [2, []],
  ]);
  for (const processes of runs.keys()) await run(processes, 500);
  for (let round = 1; round <= (profile.quick ? 1 : 3); round += 1) {
    for (const [processes, results] of runs) {
      logProgress(`round ${round}, processes: ${processes}`);
      results.push(await run(processes, count(profile)));
    }
  }
  return runs;
}

function settings(discord: LocalDiscord, databaseUrl: string, publicKey: string): Record<string, string> {
  return {
    TALLYHOOK_ROLES: 'answer',
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    DISCORD_GUILD_ID: discord.guildId,
    DISCORD_PUBLIC_KEY: publicKey,
    LOOKUP_BASE_URL: 'http://127.0.0.1:9/api/v1',
    LOOKUP_SERVER_KEY: 'server-key-for-benchmarks',
    VOTE_WEBHOOK_SECRET: 'bench-secret',
    DATABASE_URL: databaseUrl,
    CACHE_URL: 'memory:',
    PORT: '0',
    LOG_LEVEL: 'fatal',
  };
}

function report(runs: ReadonlyMap<number, readonly Run[]>, profile: Profile): Report {
  const of = (processes: number, name: Figure) => median((runs.get(processes) ?? []).map((run) => run[name]));
  const amount = count(profile).toLocaleString('en-US');
  return {
    goals: [1, 2].map((processes) =>
      within(
        `longest wait of ${amount} interactions, ${connections} at once`,
        discordTimeoutMs,
        of(processes, 'max'),
        'ms',
        `processes: ${processes}`,
      ),
    ),
    tables: [
      {
        caption: `${amount} interactions over HTTP, \`/canvote\` and \`/credits\` in turns, each of another member. Times in ms.`,
        columns: [
          'processes',
          'rate over one',
          'per s',
          'p50',
          'p99',
          'longest',
          'CPU of the bots',
          'CPU of the sender',
        ],
        rows: [1, 2].map((processes) => [
          String(processes),
          figure(of(processes, 'rate') / of(1, 'rate')),
          ...(['rate', 'p50', 'p99', 'max', 'botCpu', 'senderCpu'] as const).map((name) => figure(of(processes, name))),
        ]),
      },
    ],
    notes: [
      `Each interaction was signed, verified and answered with its message. Sender and bots share ${availableParallelism()} cores.`,
    ],
  };
}
