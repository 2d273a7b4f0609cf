import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { hour, second } from '../../src/platform/durations.ts';
import { startLocalDiscord } from '../../src/sandbox/discord/local-discord.ts';
import { createPrng } from '../../src/service/seed/prng.ts';
import { openStore } from '../../src/store/store.ts';
import { describeOnPostgres } from '../contracts/databases.ts';
import { homeAccount } from '../support/home-account.ts';
import { createSender } from '../support/sender.ts';
import { settings } from '../support/settings.ts';
import { type Program, startProgram } from '../support/start-program.ts';
import { tempDir } from '../support/temp-dir.ts';

const rounds = Math.ceil(Number(process.env['TALLYHOOK_CRASH_ROUNDS'] ?? 12) / 8);
const seed = Number(process.env['TALLYHOOK_CRASH_SEED'] ?? Date.now() % 1_000_000);
const cooldownMs = 4 * second;
const people = Array.from({ length: 30 }, (_, index) => ({
  id: `9000000000000000${10 + index}`,
  username: `member${index}`,
  displayName: `Member ${index}`,
}));

/**
 * Each round, everyone votes once, and the programs are killed at a random request of a reminder. Afterwards everyone
 * has as many reminders as votes.
 */
async function survivesKills(options: {
  readonly url: string;
  readonly directory: string;
  readonly processes: number;
  readonly run: (sql: string) => void;
}): Promise<void> {
  const { url: databaseUrl, directory, processes, run } = options;
  const random = createPrng(seed);
  const discord = await startLocalDiscord({ rateLimits: false, people });
  onTestFinished(() => discord.stop());
  const environment = {
    ...settings(discord),
    DATABASE_URL: databaseUrl,
    VOTE_COOLDOWN_HOURS: String(cooldownMs / hour),
  };
  const store = await openStore(databaseUrl, systemClock, { thread: false });
  for (const { id } of people) await store.reminders.switchOn(homeAccount(id), [], systemClock.now());
  await store.close();
  const { send } = createSender(10);
  const start = () => Array.from({ length: processes }, () => startProgram(['start'], environment, directory));
  const received = () => people.map(({ id }) => discord.directMessages(id).length);

  async function killAll(programs: readonly Program[]): Promise<void> {
    for (const { process } of programs) process.kill('SIGKILL');
    await Promise.all(programs.map(({ ended }) => ended));
    run("UPDATE effects SET due_at = 0 WHERE state = 'waiting'");
    run('DELETE FROM leases');
    run('DELETE FROM lease_holders');
    run('UPDATE reminders SET leased_until = NULL');
  }

  for (let round = 1; round <= rounds; round += 1) {
    let programs = start();
    const [url = ''] = await Promise.all(programs.map((program) => program.url()));
    for (const { id: userId } of people) {
      const vote = { event: 'server_vote', userId, timestamp: new Date().toISOString() };
      expect(await send(url, { family: 'vote', body: JSON.stringify(vote) })).toMatchObject({ outcome: 'recorded' });
    }
    for (let kill = 0; kill < 2; kill += 1) {
      // Opening the channel and sending the message are a request each.
      let requests = Math.floor(random() * people.length);
      const killed = Promise.withResolvers<void>();
      const onRequest = ({ path, method }: { path: string; method: string }) => {
        if (method !== 'POST' || !/\/users\/@me\/channels$|\/messages$/.test(path)) return;
        requests -= 1;
        if (requests === 0) killed.resolve(wait(20 * random()));
      };
      discord.events.on('request', onRequest);
      await Promise.race([killed.promise, wait(15 * second)]);
      discord.events.off('request', onRequest);
      await killAll(programs);
      programs = start();
    }
    await vi.waitFor(() => expect(Math.min(...received())).toBeGreaterThanOrEqual(round), {
      timeout: 45_000,
      interval: 100,
    });
    await wait(second);
    await killAll(programs);
    expect(received()).toEqual(people.map(() => round));
  }
}

it(`no reminder is lost or sent twice after ${2 * rounds} kills (seed ${seed})`, {
  timeout: 60_000 + rounds * 90_000,
}, async () => {
  const directory = tempDir();
  const file = join(directory, 'tallyhook.db');
  const run = (sql: string) => {
    const database = new DatabaseSync(file);
    database.exec(sql);
    database.close();
  };
  await survivesKills({ url: `sqlite:${file}`, directory, processes: 1, run });
});

describeOnPostgres('with two programs on PostgreSQL', (server) => {
  it(`no reminder is lost or sent twice after ${2 * rounds} kills (seed ${seed})`, {
    timeout: 60_000 + rounds * 90_000,
  }, async () => {
    const url = server().newDatabase();
    await survivesKills({ url, directory: tempDir(), processes: 2, run: (sql) => server().runSql(sql, url) });
  });
});
