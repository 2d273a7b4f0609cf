import { execFile } from 'node:child_process';
import { appendFileSync, chmodSync, chownSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { asPostgresUser, freePort } from '@tallyhook/platform/testing/postgres';
import pg from 'pg';

const run = promisify(execFile);
const standbyName = 'standby';
/** Until the standby receives what the primary writes (ms). */
const connectTimeout = 20_000;

export interface PairOptions {
  /** Whether a commit waits until the standby has it on disk. */
  readonly isSynchronous: boolean;
  /** The port at which the standby reaches the primary. It may be that of a proxy. */
  readonly replicationPort: (primaryPort: number) => Promise<number>;
}

/** A PostgreSQL primary and a standby that receives its write-ahead log. */
export interface PostgresPair {
  readonly primary: { readonly port: number; readonly url: string };
  readonly standby: { readonly port: number; readonly url: string };
  /** Kills the primary's postmaster and all of its processes at once, as a power failure would. */
  killPrimary(): void;
  /** Makes the standby a primary. Resolves when it accepts writes. */
  promoteStandby(): Promise<void>;
}

/**
 * Starts both in subdirectories of a directory, with fsync. The caller stops the servers and deletes the directory.
 * @param programs directory of PostgreSQL's programs
 */
export async function startPair(
  programs: string,
  directory: string,
  { isSynchronous, replicationPort }: PairOptions,
): Promise<PostgresPair> {
  const primary = await createServer('primary');
  const standby = await createServer('standby');

  async function createServer(name: string) {
    const home = join(directory, name);
    mkdirSync(home);
    return { home, data: join(home, 'data'), port: await freePort() };
  }

  function runAsPostgres(program: string, args: string[], owned: string) {
    const [command, ...words] = asPostgresUser([join(programs, program), ...args], (uid, gid) =>
      chownSync(owned, uid, gid),
    );
    return run(command, words, { cwd: tmpdir() });
  }

  async function start({ home, data, port }: typeof primary, settings: readonly string[]) {
    const all = ['listen_addresses=127.0.0.1', `unix_socket_directories=${home}`, ...settings];
    const options = all.map((setting) => ` -c ${setting}`).join('');
    await runAsPostgres(
      'pg_ctl',
      ['-D', data, '-w', '-l', join(home, 'log'), '-o', `-p ${port}${options}`, 'start'],
      home,
    );
  }

  // The servers may run as another user.
  chmodSync(directory, 0o711);
  const initdb = ['-D', primary.data, '-U', 'postgres', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C'];
  await runAsPostgres('initdb', initdb, primary.home);
  await start(primary, []);
  await query(primary.port, 'CREATE ROLE tally SUPERUSER LOGIN', 'CREATE DATABASE tally OWNER tally');

  const upstream = `host=127.0.0.1 port=${await replicationPort(primary.port)} user=postgres application_name=${standbyName}`;
  const copy = [
    '-h',
    '127.0.0.1',
    '-p',
    String(primary.port),
    '-U',
    'postgres',
    '-D',
    standby.data,
    '-R',
    '-c',
    'fast',
  ];
  await runAsPostgres('pg_basebackup', copy, standby.home);
  appendFileSync(join(standby.data, 'postgresql.auto.conf'), `primary_conninfo = '${upstream}'\n`);
  // It rejects connections until it is promoted, so that a proxy recognises the primary by its accepting them.
  await start(standby, ['hot_standby=off']);
  // Set after the copy, so that the standby does not wait for a standby of its own once it is promoted.
  if (isSynchronous) {
    await query(
      primary.port,
      `ALTER SYSTEM SET synchronous_standby_names = '${standbyName}'`,
      'SELECT pg_reload_conf()',
    );
  }
  await untilReplicating(primary.port, isSynchronous ? 'sync' : 'async');

  const postmaster = Number(readFileSync(join(primary.data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const urlOf = (port: number) => `postgres://tally@127.0.0.1:${port}/tally`;
  return {
    primary: { port: primary.port, url: urlOf(primary.port) },
    standby: { port: standby.port, url: urlOf(standby.port) },
    killPrimary() {
      const children = childrenOf(postmaster);
      for (const pid of [postmaster, ...children]) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It has ended by itself.
        }
      }
    },
    async promoteStandby() {
      await runAsPostgres('pg_ctl', ['-D', standby.data, '-w', 'promote'], standby.home);
    },
  };
}

/** Runs statements one after the other, each as a transaction of its own, and returns the rows of the last one. */
async function query(port: number, ...statements: readonly string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: `postgres://postgres@127.0.0.1:${port}/postgres` });
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query<Record<string, unknown>>(statement));
    return rows;
  } finally {
    await client.end();
  }
}

async function untilReplicating(port: number, expected: 'sync' | 'async'): Promise<void> {
  const statement = `SELECT sync_state FROM pg_stat_replication WHERE application_name = '${standbyName}' AND state = 'streaming'`;
  for (const startedAt = performance.now(); ; await pause(50)) {
    const [row] = await query(port, statement);
    if (row?.['sync_state'] === expected) return;
    if (performance.now() - startedAt > connectTimeout) throw new Error('The standby does not follow the primary.');
  }
}

/** From `/proc`, at once: a program that lists them could take its time on a busy machine. */
function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .map(Number)
    .filter((child) => child > 0);
}
