import { chmodSync, mkdtempSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { postgresPrograms, startPostgres } from '@tallyhook/platform/testing/postgres';
import pg from 'pg';
import { median } from '../samples.ts';
import { startCleanup } from './cleanup.ts';
import { compileLatencyProxy, startLatencyProxy } from './latency-proxy.ts';

/** On a disk by convention, and reachable for the user of the server wherever the repository is. */
const parent = '/var/tmp';
/** `f_type` of a file system in memory (statfs(2)), where fsync costs nothing. */
const tmpfs = 0x0102_1994;
/** Round trips and commits per measured value. */
const samples = 50;

/** A PostgreSQL server of its own, and a proxy that moves it farther away. */
export interface Cluster {
  /** For further files; deleted in the end. */
  readonly directory: string;
  /** Process id of the postmaster. */
  readonly pid: number;
  readonly proxyPid: number;
  /** Creates an empty database. Both URLs name it: the second leads through the proxy. */
  newDatabase(): { readonly url: string; readonly distantUrl: string };
  /** Makes every commit of every database take longer by this time, while it holds its locks. */
  delayCommits(ms: number): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts the server with fsync. It is also stopped, and its files are deleted, when this process fails or is killed.
 * Null if this machine has no PostgreSQL server or no C compiler, or is not Linux.
 */
export async function startCluster(roundTripMs: number): Promise<Cluster | null> {
  const programs = postgresPrograms();
  if (programs === null) return null;
  if (statfsSync(parent).type === tmpfs) throw new Error(`${parent} is in memory; the database needs a real disk.`);
  const directory = mkdtempSync(join(parent, 'tallyhook-bench-'));
  const cleanup = startCleanup(directory);
  try {
    // The server may run as another user.
    chmodSync(directory, 0o711);
    const program = await compileLatencyProxy(directory);
    if (program !== null) return await startIn(directory, { programs, program, roundTripMs, cleanup });
  } catch (error) {
    await cleanup.stop();
    throw error;
  }
  await cleanup.stop();
  return null;
}

async function startIn(
  directory: string,
  options: {
    programs: string;
    /** The proxy. */
    program: string;
    roundTripMs: number;
    cleanup: { stop(): Promise<void> };
  },
): Promise<Cluster> {
  const { programs, program, roundTripMs, cleanup } = options;
  const server = await startPostgres(programs, { parent: directory, settings: ['max_connections=200'] });
  const serverPort = Number(new URL(server.newDatabase()).port);
  const proxy = await startLatencyProxy(program, serverPort, roundTripMs);
  return {
    directory,
    pid: server.pid,
    proxyPid: proxy.pid,
    newDatabase() {
      const url = server.newDatabase();
      const distant = new URL(url);
      distant.port = String(proxy.port);
      return { url, distantUrl: distant.href };
    },
    async delayCommits(ms) {
      await withClient(server.newDatabase(), async (client) => {
        // Zero siblings: also a commit without another open transaction is delayed.
        await client.query('ALTER SYSTEM SET commit_siblings = 0');
        await client.query(`ALTER SYSTEM SET commit_delay = ${ms * 1_000}`);
        await client.query('SELECT pg_reload_conf()');
        while (Number((await client.query('SHOW commit_delay')).rows[0]?.commit_delay) !== ms * 1_000) await pause(10);
      });
    },
    async stop() {
      await proxy.stop();
      await cleanup.stop();
    },
  };
}

/** Median time of a query without work (ms): what one round trip to the database takes. */
export async function measureRoundTrip(url: string): Promise<number> {
  return withClient(url, (client) => medianTime(() => client.query('SELECT 1')));
}

/** Median time of one row in one transaction (ms). */
export async function measureCommit(url: string): Promise<number> {
  return withClient(url, async (client) => {
    await client.query('CREATE TABLE IF NOT EXISTS plain_commits (n integer)');
    return medianTime(() => client.query('INSERT INTO plain_commits VALUES (1)'));
  });
}

async function medianTime(run: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let each = 0; each < samples; each += 1) {
    const startedAt = performance.now();
    await run();
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

/** Runs queries over one connection. */
export async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
