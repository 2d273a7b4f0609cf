import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { startGenerator } from '../../bench/load/load.ts';
import { oneListing, voterOf } from '../../bench/load/vote.ts';
import { startBlackhole } from '../../bench/receive/blackhole.ts';
import { startInstallation } from '../../bench/scale/receivers.ts';
import { verifyLedger } from '../../bench/scale/verify-ledger.ts';
import { isSkipped } from '../support/optional-programs.ts';
import { postgresPrograms, startPostgres } from '../support/postgres.ts';

const programs = postgresPrograms();
const count = 60;

it.skipIf(isSkipped(programs !== null))(
  'the benchmark of several processes leaves no server and no files when it is killed',
  { timeout: 120_000 },
  async () => {
    const module = new URL('../../bench/scale/cluster.ts', import.meta.url);
    const script = `
      const { startCluster } = await import('${module}');
      const { directory, pid, proxyPid } = await startCluster(0.75);
      console.log(JSON.stringify({ directory, pids: [pid, proxyPid] }));`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const { directory, pids } = JSON.parse(line.toString()) as { directory: string; pids: number[] };
    const isRunning = (pid: number) => existsSync(`/proc/${pid}/exe`);
    expect([existsSync(directory), ...pids.map(isRunning)]).toEqual([true, true, true]);
    child.kill('SIGKILL');
    await vi.waitFor(() => expect([existsSync(directory), ...pids.map(isRunning)]).toEqual([false, false, false]), {
      timeout: 60_000,
      interval: 50,
    });
  },
);

it.skipIf(isSkipped(programs !== null))(
  'the benchmark of several processes finds every vote once, and notices what is missing or counted twice',
  { timeout: 120_000 },
  async () => {
    if (programs === null) throw new Error('Install PostgreSQL (Debian: apt-get install postgresql).');
    await using stack = new AsyncDisposableStack();
    const started = <T extends { stop(): unknown }>(part: T): T => {
      stack.defer(async () => void (await part.stop()));
      return part;
    };
    const server = started(await startPostgres(programs));
    const url = server.newDatabase();
    const installation = started(
      await startInstallation(2, url, {
        generator: started(await startGenerator()),
        databasePid: server.pid,
        proxyPid: server.pid,
        silentDiscord: started(await startBlackhole()).url,
      }),
    );
    const { rejections, cpu } = await installation.run(count, { connections: 8 });
    expect(rejections).toEqual([]);
    expect(cpu.node).toBeGreaterThan(0);
    expect(cpu.database).toBeGreaterThan(0);

    const client = new pg.Client({ connectionString: url });
    await client.connect();
    stack.defer(() => client.end());
    const verify = (sent: number, rejected: number[] = []) =>
      verifyLedger(client, { sent, rejected: new Set(rejected) });

    expect(await verify(count)).toBe(count);
    // A vote answered with 503 is stored once or not at all.
    expect(await verify(count, [7])).toBe(count - 1);
    expect(await verify(count + 1, [count])).toBe(count);
    await expect(verify(count + 1)).rejects.toThrow('not in the database');
    await expect(verify(count - 1)).rejects.toThrow('Between 0 and 0 votes');

    const user = voterOf(3, oneListing);
    const faults = [
      `UPDATE balances SET credits = credits + 1 WHERE account_id = '1:${user}'`,
      `UPDATE balances SET votes = votes + 1 WHERE account_id = '1:${user}'`,
      `DELETE FROM balances WHERE account_id = '1:${user}'`,
      `INSERT INTO entries (account_id, credits, cause, at) SELECT account_id, 0, cause, at FROM entries WHERE account_id = '1:${user}'`,
      `DELETE FROM effects WHERE delivery_id = (SELECT id FROM deliveries WHERE user_id = '${user}')`,
      `UPDATE deliveries SET outcome = 'duplicate' WHERE user_id = '${user}'`,
      // The vote is lost, and nothing else gives it away.
      `UPDATE balances SET credits = 0, votes = 0, last_entry = NULL WHERE account_id = '1:${user}';
       DELETE FROM entries WHERE account_id = '1:${user}';
       DELETE FROM effects WHERE delivery_id = (SELECT id FROM deliveries WHERE user_id = '${user}');
       DELETE FROM deliveries WHERE user_id = '${user}'`,
    ];
    for (const fault of faults) {
      await client.query('BEGIN');
      await client.query(fault);
      await expect(verify(count), fault).rejects.toThrow('votes of a member count');
      await client.query('ROLLBACK');
    }
    expect(await verify(count)).toBe(count);
  },
);
