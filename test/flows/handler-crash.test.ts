import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { openStore } from '../../src/store/store.ts';
import { sign } from '../../src/webhook/signature.ts';
import { describeOnPostgres } from '../contracts/databases.ts';
import { voteSecret } from '../support/listings.ts';
import { tempDir } from '../support/temp-dir.ts';
import { isConsistent } from '../support/voting.ts';

const rounds = Number(process.env['TALLYHOOK_CRASH_ROUNDS'] ?? 1);
const processFile = new URL('../support/handler-process.ts', import.meta.url).pathname;

/** Sends votes to a process that is killed again and again, and expects a call for each one that was acknowledged. */
async function survivesKills(databaseUrl: string, expireLeases: () => void): Promise<void> {
  const handledPath = join(tempDir(), 'handled.txt');
  const environment = {
    ...{ PATH: process.env['PATH'], TALLYHOOK_ROLES: 'receive', VOTE_WEBHOOK_SECRET: voteSecret },
    ...{ DATABASE_URL: databaseUrl, CACHE_URL: 'memory:', PORT: '0', LOG_LEVEL: 'warn' },
  };

  async function start(): Promise<{ child: ChildProcess; url: string }> {
    const child = spawn(process.execPath, [processFile, handledPath], { env: environment, cwd: tempDir() });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [line] = await once(child.stdout, 'data');
    return { child, url: String(line).trim() };
  }

  const acknowledged: string[] = [];
  let members = 0;
  async function vote(url: string): Promise<void> {
    members += 1;
    const userId = String(200_000_000_000_000_000n + BigInt(members));
    const body = JSON.stringify({ event: 'server_vote', userId, timestamp: new Date().toISOString() });
    const headers = { 'x-webhook-signature': sign(body, voteSecret) };
    const response = await fetch(`${url}/webhooks/vote`, { method: 'POST', body, headers }).catch(() => null);
    if (response?.status === 200) acknowledged.push(userId);
  }

  for (let round = 0; round < rounds; round += 1) {
    const { child, url } = await start();
    const enough = acknowledged.length + 5 + 15 * Math.random();
    while (acknowledged.length < enough) await Promise.all(Array.from({ length: 3 }, () => vote(url)));
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
  expireLeases();
  const { child } = await start();
  const handled = () => (existsSync(handledPath) ? readFileSync(handledPath, 'utf8') : '').trim().split('\n');
  const voters = () => new Set(handled().map((line) => line.split(' ')[1]));
  await vi.waitFor(() => expect(acknowledged.filter((userId) => !voters().has(userId))).toEqual([]), 15_000);
  // One event of each member, so one id, in however many calls.
  expect(new Set(handled()).size).toBe(voters().size);
  child.kill('SIGTERM');
  await once(child, 'exit');

  const store = await openStore(databaseUrl, systemClock, { thread: false });
  onTestFinished(() => store.close());
  const balances = await Promise.all(acknowledged.map(async (userId) => (await store.ledger.account(userId)).credits));
  expect(new Set(balances)).toEqual(new Set([11]));
  expect(await isConsistent(databaseUrl)).toBe(true);
}

it(`every acknowledged vote is handled after a kill`, { timeout: 40_000 + rounds * 5_000 }, async () => {
  const path = join(tempDir(), 'tally.db');
  await survivesKills(`sqlite:${path}`, () => {
    const database = new DatabaseSync(path, { timeout: 5_000 });
    database.exec("UPDATE effects SET due_at = 0 WHERE state = 'waiting'");
    database.close();
  });
});

describeOnPostgres('on PostgreSQL', (server) => {
  it(`every acknowledged vote is handled after a kill`, { timeout: 40_000 + rounds * 5_000 }, async () => {
    const url = server().newDatabase();
    await survivesKills(url, () => server().runSql("UPDATE effects SET due_at = 0 WHERE state = 'waiting'", url));
  });
});
