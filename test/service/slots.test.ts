import { expect, test } from 'vitest';
import { Slots } from '../../src/service/webhooks/slots.ts';

const webhook = (number: number) => ({ listingId: String(number), family: 'vote' }) as const;

test('a webhook has 8 requests at once, up to 256 while its receiver answers, and fewer after failures', () => {
  const slots = new Slots();
  expect(slots.limits(0)).toEqual({ limit: 640, maxPerWebhook: 8, capacities: {} });
  slots.take(webhook(1));
  expect(slots.limits(0).capacities).toEqual({ '1 vote': 7 });
  const succeed = () => {
    slots.take(webhook(1));
    slots.release(webhook(1), true);
  };
  for (let request = 0; request < 20; request += 1) succeed();
  expect(slots.limits(0).capacities).toEqual({ '1 vote': 27 });
  for (let request = 0; request < 300; request += 1) succeed();
  expect(slots.limits(1)).toEqual({ limit: 639, maxPerWebhook: 8, capacities: { '1 vote': 255 } });
  slots.release(webhook(1), false);
  expect(slots.limits(0)).toEqual({ limit: 640, maxPerWebhook: 8, capacities: { '1 vote': 128 } });
  for (let request = 0; request < 10; request += 1) {
    slots.take(webhook(1));
    slots.release(webhook(1), false);
  }
  expect(slots.limits(0).capacities).toEqual({ '1 vote': 1 });
  succeed();
  expect(slots.limits(0).capacities).toEqual({ '1 vote': 2 });
});

test('the more webhooks have requests in flight, the fewer each may have, so that others can begin', () => {
  const slots = new Slots();
  for (let number = 1; number <= 79; number += 1) slots.take(webhook(number));
  expect(slots.limits(79)).toMatchObject({ limit: 561, maxPerWebhook: 8, capacities: { '1 vote': 7 } });
  for (let number = 80; number <= 400; number += 1) slots.take(webhook(number));
  expect(slots.limits(400)).toMatchObject({ limit: 240, maxPerWebhook: 1, capacities: { '1 vote': 0 } });
});
