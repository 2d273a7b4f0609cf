import { eventually } from '@tallyhook/platform/testing/eventually';
import { expect } from 'vitest';
import type { WebhookDeliveryRecord } from '../src/storage/deliveries/deliveries.ts';
import { type Running, serverId } from '../testing/running.ts';

/** A user who has never voted. Of the seeded members, this is true for mira only. */
export const newcomer = { userId: '43', username: 'newcomer' };

/** Waits until the newest delivery has this state and number of attempts. */
export async function untilState(
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

/** Moves the clock to the next attempt of the newest delivery and wakes the dispatcher. */
export async function nextAttempt(instance: Running): Promise<void> {
  const [delivery] = await instance.service.deliveries(serverId);
  instance.clock.leap(Math.max(0, (delivery?.nextAttemptAt ?? 0) - instance.clock.now()));
  await nudge(instance);
}

/** Wakes the dispatcher without queueing a delivery. */
export async function nudge({ service }: Running): Promise<void> {
  await service.resend(serverId, 'no-such-delivery');
}
