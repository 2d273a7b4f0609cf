import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startLocalDiscord } from 'local-discord';
import pg from 'pg';
import { secret } from '../../bench/load/vote.ts';
import { startCleanup } from './cleanup.ts';
import { startPair } from './postgres-pair.ts';
import { processesIn, startTallyhook } from './processes.ts';
import { isHaproxyInstalled, startHaproxy, startNodeProxy, startTcpProxy } from './switchover.ts';
import { countWaitingEffects, findLosses, type Losses } from './verify.ts';
import { sendVotes, type VoteRun } from './voters.ts';

/** How often the primary is checked, how long a check may take, and how many must fail in a row (ms). */
export const detection = { interval: 250, timeout: 500, failures: 3 };
/** Until the last announcements are posted (ms). */
const announceTimeout = 60_000;

export interface FailoverOptions {
  /** Directory of PostgreSQL's programs. */
  readonly programs: string;
  readonly isSynchronous: boolean;
  readonly votes: number;
  /** Votes per second. */
  readonly rate: number;
  /** How much later the standby receives what the primary sends (ms). */
  readonly delayMs: number;
  readonly useHaproxy: boolean;
  readonly signal: AbortSignal;
  readonly logProgress: (progress: string) => void;
}

/** All times in ms, from the moment when the primary was killed. */
export interface FailoverResult {
  readonly proxy: 'haproxy' | 'node';
  readonly noticedAfter: number;
  readonly promotedAfter: number;
  /** The longest time without an acknowledged vote. */
  readonly unavailable: number;
  readonly votes: VoteRun;
  readonly losses: Losses;
}

export { isHaproxyInstalled };

/** Kills the primary while votes arrive, promotes the standby, and compares what was acknowledged with what is there. */
export async function runFailover(options: FailoverOptions): Promise<FailoverResult> {
  const { programs, isSynchronous, votes, rate, delayMs, useHaproxy, signal, logProgress } = options;
  const directory = mkdtempSync(join(tmpdir(), 'tallyhook-failover-'));
  chmodSync(directory, 0o711);
  // Stops the servers and deletes the directory, however this process ends.
  const cleanup = startCleanup(directory);
  await using stack = new AsyncDisposableStack();
  stack.defer(() => cleanup.stop());
  const started = <T extends { stop(): Promise<void> }>(part: T): T => {
    stack.defer(() => part.stop());
    return part;
  };

  logProgress(`PostgreSQL primary and ${isSynchronous ? 'synchronous' : 'asynchronous'} standby`);
  const pair = await startPair(programs, directory, {
    isSynchronous,
    replicationPort: async (port) => started(await startTcpProxy(port, delayMs)).port,
  });
  signal.throwIfAborted();
  const startProcess = processesIn(directory);
  const servers = { primary: pair.primary.port, standby: pair.standby.port };
  const proxy = started(
    useHaproxy ? await startHaproxy(directory, servers, startProcess) : await startNodeProxy(servers),
  );
  await untilAccepting(proxy.port);

  logProgress('two receivers and an announcer');
  const discord = started(await startLocalDiscord({ rateLimits: false }));
  const announcements = new Map<string, number>();
  discord.events.on('change', (change) => {
    if (change.kind !== 'message') return;
    // A message may contain several announcements, and each names its member in several places.
    const members = change.message.embeds.flatMap((embed) => [
      ...new Set([...JSON.stringify(embed).matchAll(/<@(\d+)>/g)].map(([, userId = '']) => userId)),
    ]);
    for (const userId of members) announcements.set(userId, (announcements.get(userId) ?? 0) + 1);
  });
  const settings = {
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    DISCORD_GUILD_ID: discord.guildId,
    ANNOUNCE_CHANNEL_ID: discord.channels.announcements,
    LOOKUP_BASE_URL: `${discord.origin}/api/v1`,
    LOOKUP_SERVER_KEY: 'failover-key',
    VOTE_WEBHOOK_SECRET: secret,
    DATABASE_URL: `postgres://tally@127.0.0.1:${proxy.port}/tally`,
    CACHE_URL: 'memory:',
    PORT: '0',
    LOG_FORMAT: 'json',
  };
  const start = async (name: string, roles: string) =>
    started(await startTallyhook(startProcess, name, { ...settings, TALLYHOOK_ROLES: roles }));
  // The first one creates the tables.
  const receivers = [await start('receive-1', 'receive'), await start('receive-2', 'receive')];
  await start('announce', 'announce');
  signal.throwIfAborted();

  logProgress(`${votes} votes, ${rate} per second`);
  const sending = sendVotes({
    receivers: receivers.map(({ url }) => url),
    votes,
    rate,
    signal,
    onProgress: ({ acknowledged, rejected, failed }) =>
      logProgress(`${acknowledged.size} acknowledged, ${rejected} answered with 503, ${failed} not answered`),
  });
  // It is awaited later; until then its failure must not be unhandled.
  sending.catch(() => {});
  await pause((votes / rate / 3) * 1_000, undefined, { signal });

  logProgress('kill the primary');
  const killedAt = performance.now();
  pair.killPrimary();
  await untilUnreachable(pair.primary.url, signal);
  const noticedAfter = performance.now() - killedAt;
  logProgress('promote the standby');
  await pair.promoteStandby();
  proxy.moveToStandby();
  const promotedAfter = performance.now() - killedAt;

  const run = await sending;
  signal.throwIfAborted();
  logProgress('wait for the last announcements');
  for (const startedAt = performance.now(); (await countWaitingEffects(pair.standby.url)) > 0; await pause(100)) {
    if (performance.now() - startedAt > announceTimeout) break;
    signal.throwIfAborted();
  }
  return {
    proxy: proxy.kind,
    noticedAfter,
    promotedAfter,
    unavailable: longestGap([...run.acknowledged.values()]),
    votes: run,
    losses: await findLosses(pair.standby.url, run, announcements),
  };
}

function longestGap(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return Math.max(0, ...sorted.slice(1).map((time, before) => time - (sorted[before] ?? time)));
}

async function untilAccepting(port: number): Promise<void> {
  for (const startedAt = performance.now(); !(await isReachable(`postgres://tally@127.0.0.1:${port}/tally`)); ) {
    if (performance.now() - startedAt > 10_000) throw new Error('The proxy does not lead to the primary.');
    await pause(50);
  }
}

async function untilUnreachable(url: string, signal: AbortSignal): Promise<void> {
  for (let failures = 0; failures < detection.failures; ) {
    failures = (await isReachable(url)) ? 0 : failures + 1;
    if (failures < detection.failures) await pause(detection.interval, undefined, { signal });
  }
}

async function isReachable(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: detection.timeout });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    void client.end().catch(() => {});
  }
}
