import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import type { StoredPurchase } from '../../src/rewards/stored-purchase.ts';
import { createPrng } from '../../src/service/seed/prng.ts';
import { openStore } from '../../src/store/store.ts';
import { describeOnPostgres } from '../contracts/databases.ts';
import { homeAccount } from '../support/home-account.ts';
import { deposit, expectCleanAudit } from '../support/shop-store.ts';
import { tempDir } from '../support/temp-dir.ts';
import { orderCount, orderOf, role, stock, users } from './purchases/orders.ts';

const rounds = Math.ceil(Number(process.env['TALLYHOOK_CRASH_ROUNDS'] ?? 12) / 2);
const seed = Number(process.env['TALLYHOOK_CRASH_SEED'] ?? Date.now() % 1_000_000);
const seller = fileURLToPath(new URL('purchases/sell.ts', import.meta.url));

/** Starts a process that buys. Resolves with its output once it was killed, some ms after its first purchase. */
async function sellUntilKilled(url: string, processSeed: number, killAfterMs: number): Promise<string> {
  const child = spawn(process.execPath, [seller, url, String(processSeed)], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (data) => (output += String(data)));
  await once(child.stdout, 'data');
  await wait(killAfterMs);
  child.kill('SIGKILL');
  await once(child, 'close');
  return output;
}

/** The purchases by the number of their order. The last line may be incomplete. */
function acknowledgedIn(output: string): [number, number][] {
  return [...output.matchAll(/^(\d+) (\d+)\n/gm)].map(([, number, id]) => [Number(number), Number(id)]);
}

async function survivesKills(url: string, processes: number): Promise<void> {
  const random = createPrng(seed);
  const first = await openStore(url, systemClock);
  for (const userId of users) await deposit(first, userId, 300);
  await first.close();
  const acknowledged = new Map<number, number>();
  for (let round = 0; round < rounds; round += 1) {
    const killed = Array.from({ length: processes }, (_, index) =>
      sellUntilKilled(url, seed + round * processes + index, 150 * random()),
    );
    for (const [number, id] of (await Promise.all(killed)).flatMap(acknowledgedIn)) {
      expect(acknowledged.get(number) ?? id).toBe(id);
      acknowledged.set(number, id);
    }
  }
  expect(acknowledged.size).toBeGreaterThan(30);

  const store = await openStore(url, systemClock);
  onTestFinished(() => store.close());
  for (const [number, id] of acknowledged) {
    const again = await store.purchases.purchase({ ...orderOf(number), item: null }, Date.now());
    expect(again).toMatchObject({ repeated: true, purchase: { id } });
  }
  const purchases: StoredPurchase[] = [];
  for (const userId of users) {
    await store.rewards.settleRole({ userId, role }, 'failed', Date.now());
    const own = await store.purchases.purchasesOf(userId, '', orderCount);
    purchases.push(...own);
    const entries = await store.records.entries(homeAccount(userId), 2 * orderCount);
    const paid = entries.filter(({ cause }) => cause === 'purchase').map(({ credits }) => 0 - credits);
    const refunded = entries.filter(({ cause }) => cause === 'refund').map(({ credits }) => credits);
    const pricesOf = (some: readonly StoredPurchase[]) => some.map(({ price }) => price).sort((a, b) => a - b);
    // Never paid without a purchase, never a purchase without its payment.
    expect(paid.sort((a, b) => a - b)).toEqual(pricesOf(own));
    expect(refunded.sort((a, b) => a - b)).toEqual(pricesOf(own.filter(({ state }) => state === 'refunded')));
    expect((await store.ledger.account(userId)).credits).toBeGreaterThanOrEqual(0);
    const isVip = own.some(({ role: bought, state }) => bought !== null && state === 'fulfilled');
    expect(await store.rewards.isGranted({ userId, role }, Date.now())).toBe(isVip);
  }
  const codes = purchases.flatMap(({ code }) => (code === null ? [] : [code]));
  expect(new Set(codes).size).toBe(codes.length);
  expect(purchases.filter(({ item }) => item === 'rare').length).toBeLessThanOrEqual(stock);
  await expectCleanAudit(url);
}

const timeout = 60_000 + rounds * 10_000;

it(`sells nothing twice, and nothing without its payment, after ${rounds} kills (seed ${seed})`, { timeout }, () =>
  survivesKills(`sqlite:${join(tempDir(), 'tally.db')}`, 1),
);

describeOnPostgres('two programs on PostgreSQL', (server) => {
  it(`sell nothing twice, and nothing without its payment, after ${rounds} kills (seed ${seed})`, { timeout }, () =>
    survivesKills(server().newDatabase(), 2),
  );
});
