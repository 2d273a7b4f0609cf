import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { DeliveryRecord } from '../../src/owner/records.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type LocalDiscord, startLocalDiscord } from '../../src/sandbox/discord/local-discord.ts';
import { createPrng } from '../../src/service/seed/prng.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { describeOnPostgres } from '../contracts/databases.ts';
import { blocksOf } from '../discord/shown-text.ts';
import { homeAccount } from '../support/home-account.ts';
import { queryValue } from '../support/query-value.ts';
import { createSender, type OutgoingDelivery } from '../support/sender.ts';
import { fetchOwnerApi, settings } from '../support/settings.ts';
import { startProgram } from '../support/start-program.ts';
import { tempDir } from '../support/temp-dir.ts';

const rounds = Number(process.env['TALLYHOOK_CRASH_ROUNDS'] ?? 12);
const seed = Number(process.env['TALLYHOOK_CRASH_SEED'] ?? Date.now() % 1_000_000);
const printProgress =
  process.env['TALLYHOOK_CRASH_ROUNDS'] === undefined ? () => {} : (line: string) => process.stderr.write(`${line}\n`);
const connections = 32;

interface Delivery extends OutgoingDelivery {
  readonly userId: string;
  /** Outcome of the first delivery. */
  readonly firstOutcome: 'recorded' | 'test' | 'quarantined';
  /** Credits paid. */
  readonly credits: number;
}

/**
 * A delivery of a random kind. Each has its own user, which identifies its entries and announcements. `random` is in
 * [0, 1).
 */
function newDelivery(number: number, random: number): Delivery {
  const userId = String(number);
  const timestamp = new Date().toISOString();
  const vote = (payload: object) => ({
    userId,
    family: 'vote' as const,
    body: JSON.stringify({ ...payload, userId, timestamp }),
  });
  if (random < 0.5) return { ...vote({ event: 'server_vote' }), firstOutcome: 'recorded', credits: 10 };
  if (random < 0.7)
    return { ...vote({ event: 'server_vote', creditsAwarded: 25 }), firstOutcome: 'recorded', credits: 25 };
  if (random < 0.8) return { ...vote({ event: 'server_vote', test: true }), firstOutcome: 'test', credits: 0 };
  if (random < 0.9) return { ...vote({ event: 'surprise' }), firstOutcome: 'quarantined', credits: 0 };
  const purchase = { event: 'premium_purchase', buyer: { userId }, orderId: `order-${userId}` };
  return { userId, family: 'premium', body: JSON.stringify(purchase), firstOutcome: 'recorded', credits: 100 };
}

/** The rows of the delivery log, by body. */
async function readDeliveries(store: Store): Promise<Map<string, DeliveryRecord[]>> {
  const byBody = new Map<string, DeliveryRecord[]>();
  let before: number | null = null;
  for (;;) {
    const page: readonly DeliveryRecord[] = await store.records.deliveries({ outcome: null, limit: 1_000, before });
    for (const row of page) byBody.set(row.body, [...(byBody.get(row.body) ?? []), row]);
    before = page.at(-1)?.id ?? null;
    if (before === null) return byBody;
  }
}

/** The user of each announcement in the two channels; null for a test. */
function announcedUsers(discord: LocalDiscord): (string | null)[] {
  return [discord.channels.announcements, discord.channels.premium]
    .flatMap((channel) => discord.messages(channel))
    .flatMap(blocksOf)
    .map((text) => /<@(\d+)>/.exec(text)?.[1] ?? null);
}

/** A database, and what the test does to it directly. */
interface TestDatabase {
  readonly url: string;
  /** The number of programs that use it at the same time. */
  readonly processes: number;
  run(sql: string): void;
  expectIntegrity(): void;
}

async function survivesKills(rounds: number, directory: string, database: TestDatabase): Promise<void> {
  const random = createPrng(seed);
  const discord = await startLocalDiscord({ rateLimits: false });
  onTestFinished(() => discord.stop());
  const environment = { ...settings(discord), DATABASE_URL: database.url };
  const { send } = createSender(connections);
  const sent: Delivery[] = [];
  const acknowledged = new Set<Delivery>();

  function next(): Delivery {
    // One in five is a repeat, usually of a request that is still pending.
    const recent = sent.at(-1 - Math.floor(random() * connections));
    if (recent !== undefined && random() < 0.2) return recent;
    const delivery = newDelivery(sent.length + 1, random());
    sent.push(delivery);
    return delivery;
  }

  for (let round = 1; round <= rounds; round += 1) {
    const running = Array.from({ length: database.processes }, () => startProgram(['start'], environment, directory));
    const killAll = () => {
      for (const { process } of running) process.kill('SIGKILL');
    };
    if (random() < 0.15) {
      await wait(700 * random());
    } else {
      // Kill the program at a random time, while requests, commits and announcements are pending.
      const killAfter = acknowledged.size + 250 * random();
      const delayMs = 10 * random();
      const urls = await Promise.all(running.map(({ url }) => url()));
      const sending = Array.from({ length: connections }, async () => {
        for (;;) {
          const delivery = next();
          const response = await send(urls[Math.floor(random() * urls.length)] ?? '', delivery);
          if (response === null) return;
          if (response.status === 200) acknowledged.add(delivery);
          if (acknowledged.size >= killAfter) void wait(delayMs).then(killAll);
        }
      });
      await Promise.all(sending);
    }
    killAll();
    await Promise.all(running.map(({ ended }) => ended));
    printProgress(
      `round ${round} of ${rounds}: ${acknowledged.size} acknowledged of ${sent.length} sent, seed ${seed}`,
    );
  }
  // Few on a busy machine, but enough to be killed in the middle of them.
  expect(acknowledged.size).toBeGreaterThan(5 * rounds);

  // Expire all leases.
  database.run("UPDATE effects SET due_at = 0 WHERE state = 'waiting'");
  database.run('DELETE FROM leases');
  database.run('DELETE FROM lease_holders');
  const running = startProgram(['start'], environment, directory);
  const url = await running.url();
  const before = await fetchOwnerApi<object>(url, '/summary');
  const repeats = await Promise.all(
    [...acknowledged].map(async (delivery) => ({ delivery, response: await send(url, delivery) })),
  );
  const expected = ({ firstOutcome }: Delivery) => (firstOutcome === 'recorded' ? 'duplicate' : firstOutcome);
  expect(repeats.filter(({ delivery, response }) => response?.outcome !== expected(delivery))).toEqual([]);
  const { credits, votes } = before as { credits: number; votes: number };
  expect(await fetchOwnerApi(url, '/summary')).toMatchObject({ credits, votes });
  await vi.waitFor(
    async () => expect(await fetchOwnerApi(url, '/effects?state=waiting')).toMatchObject({ effects: [] }),
    {
      timeout: 45_000 + rounds * 1_000,
      interval: 200,
    },
  );
  running.process.kill('SIGTERM');
  expect(await running.ended).toBe(0);

  database.expectIntegrity();
  const store = await openStore(database.url, systemClock);
  onTestFinished(() => store.close());
  const rows = await readDeliveries(store);
  const announcements = new Map<string, number>();
  for (const userId of announcedUsers(discord)) {
    if (userId !== null) announcements.set(userId, (announcements.get(userId) ?? 0) + 1);
  }
  for (const delivery of sent) {
    const { userId, body, firstOutcome } = delivery;
    const recorded = (rows.get(body) ?? []).filter(({ outcome }) => outcome === firstOutcome);
    if (acknowledged.has(delivery)) expect(recorded.length, body).toBeGreaterThan(0);
    if (firstOutcome === 'recorded') expect(recorded.length, body).toBeLessThan(2);
    const isPaid = firstOutcome === 'recorded' && recorded.length > 0;
    const entries = await store.records.entries(homeAccount(userId), 10);
    expect(
      entries.map((entry) => entry.credits),
      body,
    ).toEqual(isPaid ? [delivery.credits] : []);
    expect((await store.ledger.account(userId)).credits, body).toBe(isPaid ? delivery.credits : 0);
    expect(announcements.get(userId) ?? 0, body).toBe(isPaid ? 1 : 0);
  }
  const counts = await store.records.counts();
  expect(announcedUsers(discord).filter((userId) => userId === null)).toHaveLength(counts.deliveries.test);
  expect(counts.effects).toMatchObject({ waiting: 0, buried: 0 });
  printProgress(`${acknowledged.size} acknowledged deliveries verified: ${JSON.stringify(counts)}`);
}

it(`loses no acknowledged delivery, and pays and announces none twice, after ${rounds} kills (seed ${seed})`, {
  timeout: 60_000 + rounds * 5_000,
}, async () => {
  const directory = tempDir();
  const file = join(directory, 'data', 'tallyhook.db');
  const use = (work: (database: DatabaseSync) => void) => {
    const database = new DatabaseSync(file);
    work(database);
    database.close();
  };
  await survivesKills(rounds, directory, {
    url: `sqlite:${file}`,
    processes: 1,
    run: (sql) => use((database) => database.exec(sql)),
    expectIntegrity: () => use((database) => expect(queryValue(database, 'PRAGMA integrity_check')).toBe('ok')),
  });
});

/** Fewer, because each starts two programs. */
const postgresRounds = Math.ceil(rounds / 3);

describeOnPostgres('two programs on PostgreSQL', (server) => {
  it(`lose no acknowledged delivery, and pay and announce none twice, after ${postgresRounds} kills (seed ${seed})`, {
    timeout: 60_000 + postgresRounds * 10_000,
  }, async () => {
    const url = server().newDatabase();
    const run = (sql: string) => server().runSql(sql, url);
    await survivesKills(postgresRounds, tempDir(), { url, processes: 2, run, expectIntegrity: () => {} });
  });
});
