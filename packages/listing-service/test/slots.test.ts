import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Slots } from '../src/webhooks/slots.ts';

const webhook = (number: number) => ({ listingId: String(number), family: 'vote' }) as const;

/** Begins as many requests as may, of more that wait. */
async function flood(slots: Slots, waiting: number) {
  let begun = 0;
  for (let request = 0; request < waiting; request += 1) void slots.take(webhook(1)).then(() => (begun += 1));
  await nextTurn();
  return () => begun;
}

test('a webhook has 8 requests at once, up to 256 while its receiver answers, and fewer after failures', async () => {
  const slots = new Slots();
  expect(slots.limits(0)).toEqual({ limit: 1_280, maxPerWebhook: 8, capacities: {} });
  const begun = await flood(slots, 1_000);
  expect(begun()).toBe(8);
  const end = async (isSuccess: boolean | null) => {
    slots.release(webhook(1), isSuccess);
    await nextTurn();
    return begun();
  };
  expect(await end(null)).toBe(9);
  expect(await end(true)).toBe(11);
  for (let request = 0; request < 300; request += 1) await end(true);
  const ended = 302;
  expect(begun() - ended).toBe(256);
  expect(await end(false)).toBe(ended + 256);
  for (let request = 0; request < 127; request += 1) await end(null);
  expect(begun()).toBe(ended + 256);
  expect(await end(null)).toBe(ended + 257);
});

test('for each request that is in flight, another delivery may be claimed', async () => {
  const slots = new Slots();
  await slots.take(webhook(1));
  expect(slots.limits(1)).toEqual({ limit: 1_279, maxPerWebhook: 8, capacities: { '1 vote': 15 } });
  slots.release(webhook(1), false);
  expect(slots.limits(0)).toEqual({ limit: 1_280, maxPerWebhook: 8, capacities: { '1 vote': 8 } });
});

test('a webhook has at most as many requests as are free for others', async () => {
  const slots = new Slots();
  for (let success = 0; success < 300; success += 1) {
    await slots.take(webhook(1));
    slots.release(webhook(1), true);
  }
  for (let number = 2; number <= 401; number += 1) await slots.take(webhook(number));
  const begun = await flood(slots, 200);
  expect(begun()).toBe(120);
  expect(slots.limits(520)).toMatchObject({ limit: 760, maxPerWebhook: 8, capacities: { '1 vote': 40, '2 vote': 15 } });
});

test('640 requests are in flight at most, of whatever webhooks', async () => {
  const slots = new Slots();
  let begun = 0;
  for (let number = 1; number <= 641; number += 1) void slots.take(webhook(number)).then(() => (begun += 1));
  await nextTurn();
  expect(begun).toBe(640);
  slots.release(webhook(7), null);
  await nextTurn();
  expect(begun).toBe(641);
});
