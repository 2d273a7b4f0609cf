import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isHidden } from './optional-programs.ts';
import { asPostgresUser, freePort } from './postgres.ts';

const path = '/usr/sbin/pgbouncer';

/** The path of PgBouncer on Debian; null if it is not installed, or hidden. */
export function pgbouncerProgram(): string | null {
  return existsSync(path) && !isHidden('pgbouncer') ? path : null;
}

export interface PgBouncer {
  /** The URL of the same database through PgBouncer. */
  through(databaseUrl: string): string;
  stop(): Promise<void>;
}

/** Starts PgBouncer in transaction mode on the loopback interface, in front of a server of {@link startPostgres}. */
export async function startPgBouncer(program: string, serverUrl: string): Promise<PgBouncer> {
  const directory = mkdtempSync(join(tmpdir(), 'tallyhook-pgbouncer-'));
  const port = await freePort();
  const server = new URL(serverUrl);
  const users = join(directory, 'users');
  const settings = join(directory, 'pgbouncer.ini');
  writeFileSync(users, `"${server.username}" ""\n`);
  writeFileSync(
    settings,
    `[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = 4
`,
  );
  const [command, ...args] = asPostgresUser([program, '-q', settings], (uid, gid) => {
    for (const file of [directory, users, settings]) chownSync(file, uid, gid);
  });
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], cwd: tmpdir() });
  let output = '';
  child.stderr.on('data', (data) => (output += String(data)));
  const ended = once(child, 'exit');
  for (let tries = 0; !(await accepts(port)); tries += 1) {
    if (child.exitCode !== null || tries > 200) throw new Error(`PgBouncer does not listen:\n${output}`);
    await sleep(25);
  }
  return {
    through(databaseUrl) {
      const url = new URL(databaseUrl);
      url.port = String(port);
      return url.href;
    },
    async stop() {
      child.kill('SIGKILL');
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
