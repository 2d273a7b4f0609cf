import { systemClock } from '../../../src/platform/clock.ts';
import { createPrng } from '../../../src/service/seed/prng.ts';
import { openStore } from '../../../src/store/store.ts';
import { orderCount, orderOf, role, users } from './orders.ts';

/*
 * Buys at the database at the URL in the first argument, and settles roles, until the process is killed. Prints a line
 * with the number of the order and the id of the purchase for each one that is acknowledged. The second argument is a
 * seed.
 */
const [url = '', seed = '1'] = process.argv.slice(2);
const random = createPrng(Number(seed));
const store = await openStore(url, systemClock);

async function buyOne(): Promise<void> {
  const number = Math.floor(random() * orderCount);
  const result = await store.purchases.purchase(orderOf(number), Date.now());
  process.stdout.write(result.outcome === 'purchased' ? `${number} ${result.purchase.id}\n` : `${result.outcome}\n`);
}

async function settleOne(): Promise<void> {
  const userId = users[Math.floor(random() * users.length)] ?? '';
  await store.rewards.settleRole({ userId, role }, random() < 0.5 ? 'applied' : 'failed', Date.now());
}

async function repeat(): Promise<never> {
  for (;;) await (random() < 0.9 ? buyOne() : settleOne());
}

await Promise.all(Array.from({ length: 8 }, repeat));
