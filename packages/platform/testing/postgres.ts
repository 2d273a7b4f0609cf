import { execFileSync } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { isHidden } from './optional-programs.ts';
import { testCache } from './test-cache.ts';

const versions = '/usr/lib/postgresql';

/** The directory of the newest PostgreSQL server's programs on Debian; null if none is installed. */
export function postgresPrograms(): string | null {
  if (isHidden('postgres') || !existsSync(versions)) return null;
  const newest = readdirSync(versions).sort((a, b) => Number(b) - Number(a))[0];
  const programs = newest === undefined ? null : join(versions, newest, 'bin');
  return programs !== null && existsSync(join(programs, 'initdb')) ? programs : null;
}

/** Databases of a running server. */
export interface PostgresDatabases {
  /** Creates an empty database, or a copy of another one that has no connections, and returns its URL. */
  newDatabase(templateUrl?: string): string;
  /** Runs statements in a database, as its superuser. */
  runSql(sql: string, url: string): void;
  /** Ends all connections to a database, so that it can be copied. */
  closeConnections(url: string): void;
  /** Ends all connections to a database and deletes it. */
  dropDatabase(url: string): Promise<void>;
}

export interface PostgresServer extends PostgresDatabases {
  /** Process id of the postmaster, the parent of all server processes. */
  readonly pid: number;
  readonly port: number;
  /**
   * Shuts the server down: `fast` closes connections, `immediate` is like a crash. Committed data is kept, and `start`
   * reuses the address.
   */
  shutDown(mode?: 'fast' | 'immediate'): void;
  start(): void;
  /** Makes new transactions read-only (true) or writable (false). */
  setReadOnly(readOnly: boolean): void;
  /** Allows the user of these URLs to log in, or (false) rejects it and terminates its connections. */
  setLogin(allowed: boolean): void;
  /** Stops the server and deletes its files. Synchronous, so it also works while the process exits. */
  stop(): void;
}

export interface PostgresOptions {
  /** Where the server's temporary directory is created (default: the system's, which may be in memory). */
  readonly parent?: string;
  /** Server settings, `name=value` (default: no fsync, which is faster and enough for tests). */
  readonly settings?: readonly string[];
}

/**
 * Starts a PostgreSQL server in a temporary directory, on the loopback interface. As root, the server runs as the user
 * `postgres`, because it refuses root.
 */
export async function startPostgres(programs: string, options: PostgresOptions = {}): Promise<PostgresServer> {
  const { parent = tmpdir(), settings = ['fsync=off'] } = options;
  const port = await freePort();
  const directory = mkdtempSync(join(parent, 'tallyhook-pg-'));
  const run = (program: string, args: string[]) => {
    const [command, ...words] = asPostgresUser([join(programs, program), ...args], (uid, gid) =>
      chownSync(directory, uid, gid),
    );
    return output(command, words);
  };

  const data = join(directory, 'data');
  const serverOptions = ['listen_addresses=127.0.0.1', `unix_socket_directories=${directory}`, ...settings]
    .map((setting) => ` -c ${setting}`)
    .join('');
  const start = () =>
    void run('pg_ctl', ['-D', data, '-w', '-l', join(directory, 'log'), '-o', `-p ${port}${serverOptions}`, 'start']);
  const stop = () => {
    try {
      run('pg_ctl', ['-D', data, '-m', 'immediate', 'stop']);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  };
  const databases = databasesOf(port, programs);
  const administer = (sql: string) => databases.runSql(sql, databaseUrl(port, 'postgres'));
  try {
    createCluster(programs, data, () => {
      run('initdb', ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C']);
    });
    start();
    administer('CREATE ROLE tally SUPERUSER LOGIN');
  } catch (error) {
    try {
      stop();
    } catch {
      // It was not running.
    }
    throw error;
  }

  return {
    get pid() {
      return Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
    },
    port,
    ...databases,
    shutDown: (mode = 'fast') => void run('pg_ctl', ['-D', data, '-w', '-m', mode, 'stop']),
    start,
    setReadOnly(readOnly) {
      administer(`ALTER SYSTEM SET default_transaction_read_only = ${readOnly ? 'on' : 'off'}`);
      administer('SELECT pg_reload_conf()');
    },
    setLogin(allowed) {
      administer(`ALTER ROLE tally ${allowed ? 'LOGIN' : 'NOLOGIN'}`);
      if (!allowed) administer("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'tally'");
    },
    stop,
  };
}

/** How many copies of a database are created at a time: starting `psql` takes longer than a copy. */
const copiesAtOnce = 4;
/** Names of databases for the next tests of this process, by the URL of what they are copies of. */
const unusedCopies = new Map<string, string[]>();

/** The connections over which this process deletes databases, by port: to open one takes as long as to delete one. */
const droppers = new Map<number, Promise<pg.Client>>();

function dropper(port: number): Promise<pg.Client> {
  const kept = droppers.get(port) ?? connect();
  droppers.set(port, kept);
  return kept;

  async function connect() {
    const stream = () => new Socket().unref();
    const client = new pg.Client({ connectionString: databaseUrl(port, 'postgres'), stream });
    client.on('error', () => droppers.delete(port));
    await client.connect();
    return client;
  }
}

/** Databases of the server on a port of the loopback interface. */
export function databasesOf(port: number, programs: string): PostgresDatabases {
  const runIn = (database: string, ...statements: readonly string[]) => {
    const server = ['-h', '127.0.0.1', '-p', `${port}`, '-U', 'postgres', database];
    void output(join(programs, 'psql'), [...server, '-q', ...statements.flatMap((sql) => ['-c', sql])]);
  };
  const run = (...statements: readonly string[]) => runIn('postgres', ...statements);
  return {
    newDatabase(templateUrl) {
      const copies = templateUrl === undefined ? [] : (unusedCopies.get(templateUrl) ?? []);
      if (copies.length === 0) {
        for (let count = 0; count < (templateUrl === undefined ? 1 : copiesAtOnce); count += 1)
          copies.push(`tally_${randomBytes(8).toString('hex')}`);
        // Copies the files: writing the copy to the log first takes three times as much CPU time.
        const copy = templateUrl === undefined ? '' : ` TEMPLATE ${nameOf(templateUrl)} STRATEGY file_copy`;
        run(...copies.map((name) => `CREATE DATABASE ${name}${copy}`));
        if (templateUrl !== undefined) unusedCopies.set(templateUrl, copies);
      }
      return databaseUrl(port, copies.pop() ?? '');
    },
    runSql: (sql, url) => runIn(nameOf(url), sql),
    closeConnections(url) {
      run(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${nameOf(url)}'`);
    },
    async dropDatabase(url) {
      await (await dropper(port)).query(`DROP DATABASE ${nameOf(url)} WITH (FORCE)`);
    },
  };
}

function databaseUrl(port: number, name: string): string {
  return `postgres://tally@127.0.0.1:${port}/${name}`;
}

/** Copies the files of an earlier `initdb` of the same programs, which takes a fifth of its time, or runs it. */
function createCluster(programs: string, data: string, initialise: () => void): void {
  const stored = join(testCache, `postgres${programs.replaceAll('/', '-')}`);
  if (existsSync(stored)) return void output('cp', ['-a', stored, data]);
  initialise();
  const unfinished = `${stored}-${process.pid}`;
  mkdirSync(testCache, { recursive: true });
  output('cp', ['-a', data, unfinished]);
  try {
    renameSync(unfinished, stored);
  } catch {
    // Another test was faster.
    rmSync(unfinished, { recursive: true, force: true });
  }
}

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

/**
 * Changes a command to run as the user `postgres` if the tests run as root, because such programs refuse root. `setOwner`
 * must then change the owner of their files.
 */
export function asPostgresUser(
  command: readonly [string, ...string[]],
  setOwner: (uid: number, gid: number) => void,
): readonly [string, ...string[]] {
  if (process.getuid?.() !== 0) return command;
  setOwner(Number(output('id', ['-u', 'postgres'])), Number(output('id', ['-g', 'postgres'])));
  return ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups', ...command];
}

function output(program: string, args: readonly string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], cwd: tmpdir() }).trim();
}

/**
 * A port for a program that cannot choose one itself. It lies below those that the system gives to listeners on port 0 and to
 * clients, so that no other test takes it before the program listens.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(10_000, 32_000);
  const server = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (!isFree) return freePort();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
