import type { Generator, Load, RunResult } from '../load/load.ts';
import { oneListing, secret } from '../load/vote.ts';
import { type Child, startChild } from '../process/child.ts';
import { path } from '../receive/contender.ts';
import { type ProcessTimes, processTimes } from './process-times.ts';

const module = new URL('./receiver-process.ts', import.meta.url);

/** Where an installation runs. */
export interface Surroundings {
  readonly generator: Generator;
  /** Process ids of the database server and of the proxy in front of it. */
  readonly databasePid: number;
  readonly proxyPid: number;
  /** A Discord that accepts connections and never responds. */
  readonly silentDiscord: string;
}

/** The measurements of one run. */
export interface ScaleRun extends RunResult {
  /** CPU time per vote (µs) of all receivers, of the database server and of the proxy. */
  readonly cpu: { readonly node: number; readonly database: number; readonly proxy: number };
  readonly load: CoreLoad;
}

/** CPU time of a run divided by its duration. */
export interface CoreLoad {
  /** Programs that do not belong to the benchmark. */
  readonly others: number;
  /** Everything that belongs to the benchmark, the database server included. */
  readonly own: number;
  readonly proxy: number;
  readonly sender: number;
}

/** The votes sent to an installation are those with the numbers 0 to `sent` - 1. */
export interface SentVotes {
  readonly sent: number;
  /** The numbers of those that were not acknowledged. */
  readonly rejected: ReadonlySet<number>;
}

/** Receivers that share one database. */
export interface Installation {
  readonly receivers: number;
  /** Sends this many new votes, divided among the receivers. @throws Error for a status other than 2xx and 503 */
  run(count: number, options: Pick<Load, 'connections'>): Promise<ScaleRun>;
  readonly votes: SentVotes;
  stop(): Promise<void>;
}

export async function startInstallation(
  receivers: number,
  databaseUrl: string,
  surroundings: Surroundings,
): Promise<Installation> {
  const { generator, databasePid, proxyPid, silentDiscord } = surroundings;
  const settings = receiverSettings({ databaseUrl, discordUrl: silentDiscord });
  // The first creates the tables.
  const children = [await startReceiver(settings)];
  const others = Array.from({ length: receivers - 1 }, () => startReceiver(settings));
  children.push(...(await Promise.all(others)));
  const port = await Promise.all(children.map((child) => child.ask<number>('port')));
  const rejected = new Set<number>();
  let sent = 0;

  async function usedCpu(): Promise<number> {
    const usages = await Promise.all(children.map((child) => child.usage()));
    return usages.reduce((total, { cpu }) => total + cpu, 0);
  }

  return {
    receivers,
    votes: {
      get sent() {
        return sent;
      },
      rejected,
    },
    async run(count, { connections }) {
      const from = sent;
      sent += count;
      const nodeBefore = await usedCpu();
      const before = processTimes();
      const startedAt = performance.now();
      const result = await generator.load({
        port,
        path,
        dialect: 'tallyhook',
        series: oneListing,
        from,
        count,
        connections,
      });
      const elapsed = (performance.now() - startedAt) * 1_000;
      const after = processTimes();
      const nodeAfter = await usedCpu();
      for (const { number, status } of result.rejections) {
        if (status !== 503) throw new Error(`tallyhook answered a vote with ${status}.`);
        rejected.add(number);
      }
      const used = (pick: (times: ProcessTimes) => number) => Math.max(0, pick(after) - pick(before));
      const ofProxy = used((times) => times.of(proxyPid));
      return {
        ...result,
        cpu: {
          node: (nodeAfter - nodeBefore) / count,
          database: used((times) => times.of(databasePid)) / count,
          proxy: ofProxy / count,
        },
        load: {
          others: used((times) => times.except(process.pid, databasePid)) / elapsed,
          own: used((times) => times.of(process.pid, databasePid)) / elapsed,
          proxy: ofProxy / elapsed,
          sender: (result.senderCpu * count) / elapsed,
        },
      };
    },
    async stop() {
      await Promise.all(children.map((child) => child.stop()));
    },
  };
}

/** The settings of the program in this benchmark. */
export function receiverSettings({
  databaseUrl,
  discordUrl,
  discord = {},
}: {
  databaseUrl: string;
  /** Without a path. */
  discordUrl: string;
  /** Overrides the settings of a Discord that never responds. */
  discord?: Readonly<Record<string, string>>;
}): Readonly<Record<string, string>> {
  return {
    DISCORD_TOKEN: 'bench',
    DISCORD_API_URL: `${discordUrl}/api`,
    LOOKUP_BASE_URL: `${discordUrl}/api/v1`,
    LOOKUP_SERVER_KEY: 'bench-key',
    VOTE_WEBHOOK_SECRET: secret,
    ANNOUNCE_CHANNEL_ID: '1',
    DATABASE_URL: databaseUrl,
    CACHE_URL: 'memory:',
    PORT: '0',
    // An installation that refuses votes would otherwise fill the terminal; the table contains their number.
    LOG_LEVEL: 'fatal',
    ...discord,
  };
}

/** @param role `receive` for the HTTP routes alone */
export function startReceiver(settings: Readonly<Record<string, string>>, role?: 'receive'): Promise<Child> {
  return startChild(module, [JSON.stringify(settings), ...(role === undefined ? [] : [role])]);
}
