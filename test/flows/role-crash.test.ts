import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { createPrng } from '../../src/service/seed/prng.ts';
import { openStore } from '../../src/store/store.ts';
import { describeOnPostgres } from '../contracts/databases.ts';
import { localDiscord } from '../support/local-discord.ts';
import { tempDir } from '../support/temp-dir.ts';

const rounds = Number(process.env['TALLYHOOK_CRASH_ROUNDS'] ?? 6);
const seed = Number(process.env['TALLYHOOK_CRASH_SEED'] ?? Date.now() % 1_000_000);
const processFile = new URL('../support/role-process.ts', import.meta.url).pathname;

/** Grants and revokes roles at random while processes that carry out the effects are killed. */
async function survivesKills(url: string, processes: number, expireLeases: () => void): Promise<void> {
  const random = createPrng(seed);
  const discord = await localDiscord({ rateLimits: false });
  const wantedPath = join(tempDir(), 'wanted.db');
  const wanted = new DatabaseSync(wantedPath);
  wanted.exec('PRAGMA journal_mode = WAL; CREATE TABLE wanted (user_id TEXT, role TEXT, PRIMARY KEY (user_id, role))');
  const grant = wanted.prepare('INSERT OR IGNORE INTO wanted VALUES (?, ?)');
  const revoke = wanted.prepare('DELETE FROM wanted WHERE user_id = ? AND role = ?');
  const store = await openStore(url, systemClock);
  onTestFinished(() => store.close());
  const { voter, vip, regular, veteran } = discord.roles;
  const roles = [voter, vip, regular, veteran];
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;

  async function changeGrant(): Promise<void> {
    const [{ id: userId }, role] = [pick(discord.members), pick(roles)];
    (random() < 0.5 ? grant : revoke).run(userId, role);
    const content = { guildId: discord.guildId, userId, role };
    const queue = `role ${discord.guildId}`;
    await store.outbox.enqueue([{ kind: 'role', queue, content, deliveryId: null, createdAt: Date.now() }]);
  }

  async function start(): Promise<ChildProcess> {
    const child = spawn(process.execPath, [processFile, url, wantedPath, discord.apiUrl, discord.token]);
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    return child;
  }

  for (let round = 0; round < rounds; round += 1) {
    const running = await Promise.all(Array.from({ length: processes }, start));
    const killed = wait(50 + 250 * random()).then(() => running.map((child) => child.kill('SIGKILL')));
    while (running.some(({ killed: isKilled }) => !isKilled)) {
      await changeGrant();
      await wait(5 * random());
    }
    await killed;
  }
  expireLeases();
  await start();
  const counts = async () => (await store.records.counts()).effects;
  await vi.waitFor(async () => expect(await counts()).toMatchObject({ waiting: 0, buried: 0 }), {
    timeout: 60_000,
    interval: 200,
  });
  expect((await counts()).done).toBeGreaterThan(5 * rounds);
  for (const { id } of discord.members) {
    const rows = wanted.prepare('SELECT role FROM wanted WHERE user_id = ?').all(id);
    const managed = discord.rolesOf(id).filter((role) => roles.includes(role));
    expect(managed.toSorted(), `seed ${seed}`).toEqual(rows.map(({ role }) => String(role)).sort());
  }
}

it(`roles match the grants after ${rounds} kills (seed ${seed})`, { timeout: 90_000 + rounds * 5_000 }, async () => {
  const path = join(tempDir(), 'tally.db');
  await survivesKills(`sqlite:${path}`, 1, () => {
    const database = new DatabaseSync(path, { timeout: 5_000 });
    database.exec("UPDATE effects SET due_at = 0 WHERE state = 'waiting'");
    database.close();
  });
});

describeOnPostgres('two processes on PostgreSQL', (server) => {
  it(`make roles match the grants after ${rounds} kills (seed ${seed})`, {
    timeout: 90_000 + rounds * 5_000,
  }, async () => {
    const url = server().newDatabase();
    await survivesKills(url, 2, () => server().runSql("UPDATE effects SET due_at = 0 WHERE state = 'waiting'", url));
  });
});
