import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const versions = '/usr/lib/postgresql';

/** Where Debian keeps the newest PostgreSQL server's programs; null where none is installed. */
export function postgresPrograms(): string | null {
  if (!existsSync(versions)) return null;
  const newest = readdirSync(versions).sort((a, b) => Number(b) - Number(a))[0];
  const programs = newest === undefined ? null : join(versions, newest, 'bin');
  return programs !== null && existsSync(join(programs, 'initdb')) ? programs : null;
}

export interface PostgresServer {
  /** The address of a database that nobody has used yet. */
  newDatabase(): string;
  /** Ends it as an administrator would: connections are cut, what is committed stays. `start` brings it back at the same address. */
  shutDown(): void;
  start(): void;
  /** Everything that runs from now on may only read, or (false) may write again. */
  setReadOnly(readOnly: boolean): void;
  /** Cuts off the user of every such address, and refuses it from now on; or (true) lets it in again. */
  setLogin(allowed: boolean): void;
  stop(): void;
}

/** A PostgreSQL server of our own in a temporary directory, on the loopback. As root it runs as the user `postgres`, since it refuses root. */
export async function startPostgres(programs: string): Promise<PostgresServer> {
  const directory = mkdtempSync(join(tmpdir(), 'tallyhook-pg-'));
  const port = await freePort();
  const run = (program: string, args: string[]) => {
    const [command, ...words] = asPostgresUser([join(programs, program), ...args], (uid, gid) =>
      chownSync(directory, uid, gid),
    );
    return output(command, words);
  };

  const data = join(directory, 'data');
  run('initdb', ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C']);
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${directory} -c fsync=off`;
  const start = () => void run('pg_ctl', ['-D', data, '-w', '-l', join(directory, 'log'), '-o', options, 'start']);
  const runSql = (sql: string) =>
    output(join(programs, 'psql'), ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', 'postgres', '-qc', sql]);
  start();
  runSql('CREATE ROLE tally SUPERUSER LOGIN');

  let databases = 0;
  return {
    newDatabase() {
      databases += 1;
      const name = `tally${databases}`;
      runSql(`CREATE DATABASE ${name}`);
      return `postgres://tally@127.0.0.1:${port}/${name}`;
    },
    shutDown: () => void run('pg_ctl', ['-D', data, '-w', '-m', 'fast', 'stop']),
    start,
    setReadOnly(readOnly) {
      runSql(`ALTER SYSTEM SET default_transaction_read_only = ${readOnly ? 'on' : 'off'}`);
      runSql('SELECT pg_reload_conf()');
    },
    setLogin(allowed) {
      runSql(`ALTER ROLE tally ${allowed ? 'LOGIN' : 'NOLOGIN'}`);
      if (!allowed) runSql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'tally'");
    },
    stop() {
      run('pg_ctl', ['-D', data, '-m', 'immediate', 'stop']);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Root starts such programs as the user `postgres`, because they refuse root; `own` gives that user its files. */
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

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
