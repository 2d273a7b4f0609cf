import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { DeliveryRecord } from '../../src/owner/records.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type LocalDiscord, startLocalDiscord } from '../../src/sandbox/discord/local-discord.ts';
import { createPrng } from '../../src/service/seed/prng.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { program } from '../support/program.ts';
import { createSender, type Sent } from '../support/sender.ts';
import { askOwner, settings } from '../support/settings.ts';
import { singleValue } from '../support/single-value.ts';
import { tempDir } from '../support/temp-dir.ts';

const rounds = Number(process.env['TALLYHOOK_CRASH_ROUNDS'] ?? 24);
const seed = Number(process.env['TALLYHOOK_CRASH_SEED'] ?? Date.now() % 1_000_000);
const tell =
  process.env['TALLYHOOK_CRASH_ROUNDS'] === undefined ? () => {} : (line: string) => process.stderr.write(`${line}\n`);
const connections = 32;

interface Delivery extends Sent {
  readonly userId: string;
  /** What it is when it comes for the first time. */
  readonly first: 'recorded' | 'test' | 'quarantined';
  /** What it pays (credits). */
  readonly pays: number;
}

/** One of everything that comes in; each of a user of its own, so that everything that is seen of it later can be told apart. */
function newDelivery(number: number, chance: number): Delivery {
  const userId = String(number);
  const timestamp = new Date().toISOString();
  const vote = (payload: object) => ({
    userId,
    family: 'vote' as const,
    body: JSON.stringify({ ...payload, userId, timestamp }),
  });
  if (chance < 0.5) return { ...vote({ event: 'server_vote' }), first: 'recorded', pays: 10 };
  if (chance < 0.7) return { ...vote({ event: 'server_vote', creditsAwarded: 25 }), first: 'recorded', pays: 25 };
  if (chance < 0.8) return { ...vote({ event: 'server_vote', test: true }), first: 'test', pays: 0 };
  if (chance < 0.9) return { ...vote({ event: 'surprise' }), first: 'quarantined', pays: 0 };
  const bought = { event: 'premium_purchase', buyer: { userId }, orderId: `order-${userId}` };
  return { userId, family: 'premium', body: JSON.stringify(bought), first: 'recorded', pays: 100 };
}

/** Every delivery that is in the log, by its body. */
async function logged(store: Store): Promise<Map<string, DeliveryRecord[]>> {
  const byBody = new Map<string, DeliveryRecord[]>();
  let before: number | null = null;
  for (;;) {
    const page: readonly DeliveryRecord[] = await store.records.deliveries({ outcome: null, limit: 1_000, before });
    for (const row of page) byBody.set(row.body, [...(byBody.get(row.body) ?? []), row]);
    before = page.at(-1)?.id ?? null;
    if (before === null) return byBody;
  }
}

/** Whom each announcement in the two channels is about; null for that of a test. */
function announced(discord: LocalDiscord): (string | null)[] {
  return [discord.channels.announcements, discord.channels.premium]
    .flatMap((channel) => discord.messages(channel))
    .flatMap(({ embeds }) => embeds)
    .map(({ description }) => /<@(\d+)>/.exec(description ?? '')?.[1] ?? null);
}

it(`loses nothing that it acknowledged, pays and announces nothing twice, killed ${rounds} times (seed ${seed})`, {
  timeout: 60_000 + rounds * 5_000,
}, async () => {
  const chance = createPrng(seed);
  const discord = await startLocalDiscord({ rateLimits: false });
  onTestFinished(() => discord.stop());
  const directory = tempDir();
  const file = join(directory, 'data', 'tallyhook.db');
  const environment = settings(discord);
  const { send } = createSender(connections);
  const sent: Delivery[] = [];
  const acknowledged = new Set<Delivery>();

  function next(): Delivery {
    // One in five is sent once more, most likely while it is still under way.
    const recent = sent.at(-1 - Math.floor(chance() * connections));
    if (recent !== undefined && chance() < 0.2) return recent;
    const delivery = newDelivery(sent.length + 1, chance());
    sent.push(delivery);
    return delivery;
  }

  for (let round = 1; round <= rounds; round += 1) {
    const running = program(['start'], environment, directory);
    if (chance() < 0.15) {
      await wait(700 * chance());
    } else {
      // So many answers and so many ms after the first: under way are then requests, commits and announcements in every state.
      const enough = acknowledged.size + 250 * chance();
      const pause = 10 * chance();
      const url = await running.url();
      const sending = Array.from({ length: connections }, async () => {
        for (;;) {
          const delivery = next();
          const answer = await send(url, delivery);
          if (answer === null) return;
          if (answer.status === 200) acknowledged.add(delivery);
          if (acknowledged.size >= enough) void wait(pause).then(() => running.process.kill('SIGKILL'));
        }
      });
      await Promise.all(sending);
    }
    running.process.kill('SIGKILL');
    await running.ended;
    tell(`round ${round} of ${rounds}: ${acknowledged.size} acknowledged of ${sent.length} sent, seed ${seed}`);
  }
  expect(acknowledged.size).toBeGreaterThan(10 * rounds);

  // The leases of what was under way run out.
  const database = new DatabaseSync(file);
  database.exec("UPDATE effects SET due_at = 0 WHERE state = 'waiting'");
  database.close();
  const running = program(['start'], environment, directory);
  const url = await running.url();
  const before = await askOwner<object>(url, '/summary');
  const repeats = await Promise.all(
    [...acknowledged].map(async (delivery) => ({ delivery, answer: await send(url, delivery) })),
  );
  const expected = ({ first }: Delivery) => (first === 'recorded' ? 'duplicate' : first);
  expect(repeats.filter(({ delivery, answer }) => answer?.outcome !== expected(delivery))).toEqual([]);
  const { credits, votes } = before as { credits: number; votes: number };
  expect(await askOwner(url, '/summary')).toMatchObject({ credits, votes });
  await vi.waitFor(async () => expect(await askOwner(url, '/effects?state=waiting')).toMatchObject({ effects: [] }), {
    timeout: 45_000 + rounds * 1_000,
    interval: 200,
  });
  running.process.kill('SIGTERM');
  expect(await running.ended).toBe(0);

  const whole = new DatabaseSync(file, { readOnly: true });
  expect(singleValue(whole, 'PRAGMA integrity_check')).toBe('ok');
  whole.close();

  const store = await openStore(`sqlite:${file}`, systemClock);
  onTestFinished(() => store.close());
  const rows = await logged(store);
  const times = new Map<string, number>();
  for (const userId of announced(discord)) {
    if (userId !== null) times.set(userId, (times.get(userId) ?? 0) + 1);
  }
  for (const delivery of sent) {
    const { userId, body, first, pays } = delivery;
    const recorded = (rows.get(body) ?? []).filter(({ outcome }) => outcome === first);
    if (acknowledged.has(delivery)) expect(recorded.length, body).toBeGreaterThan(0);
    if (first === 'recorded') expect(recorded.length, body).toBeLessThan(2);
    const paid = first === 'recorded' && recorded.length > 0;
    const entries = await store.records.entries(userId, 10);
    expect(
      entries.map((entry) => entry.credits),
      body,
    ).toEqual(paid ? [pays] : []);
    expect((await store.ledger.account(userId)).credits, body).toBe(paid ? pays : 0);
    expect(times.get(userId) ?? 0, body).toBe(paid ? 1 : 0);
  }
  const counts = await store.records.counts();
  expect(announced(discord).filter((userId) => userId === null)).toHaveLength(counts.deliveries.test);
  expect(counts.effects).toMatchObject({ waiting: 0, buried: 0 });
  tell(`kept its word ${acknowledged.size} times: ${JSON.stringify(counts)}`);
});
