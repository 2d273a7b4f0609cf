import { expect } from 'vitest';
import type { WebhookDeliveryRecord } from '../../src/service/storage/delivery-records.ts';
import { eventually, type Running, serverId } from './running.ts';

/** Has not voted before, as mira; the other seeded members have. */
export const newcomer = { userId: '43', username: 'newcomer' };

/** Lets an attempt that is under way come to its end. */
export async function settled(
  { service }: Running,
  state: string,
  attempts: number,
  listing = serverId,
): Promise<WebhookDeliveryRecord | undefined> {
  return eventually(async () => {
    const [delivery] = await service.deliveries(listing);
    expect(delivery).toMatchObject({ state, attempts });
    return delivery;
  });
}

/** Moves to the next attempt of the newest delivery, and lets the queue see it. */
export async function nextAttempt(all: Running): Promise<void> {
  const [delivery] = await all.service.deliveries(serverId);
  all.clock.leap(Math.max(0, (delivery?.nextAttemptAt ?? 0) - all.clock.now()));
  await nudge(all);
}

/** Makes the queue look, as everything does that queues something; here there is nothing to queue. */
export async function nudge({ service }: Running): Promise<void> {
  await service.resend(serverId, 'no-such-delivery');
}
