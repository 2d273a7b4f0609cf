import type { LatestTimes, OrderTimes } from '../tally/order-times.ts';

/* `orders.times`: a JSON array without names, [paid, expired], each [at, periodEnd, receivedAt] or 0. */

type StoredTimes = readonly [at: number | null, periodEnd: number | null, receivedAt: number] | 0;

export function serializeOrderTimes({ paid, expired }: OrderTimes): string {
  return JSON.stringify([toStored(paid), toStored(expired)]);
}

function toStored(times: LatestTimes | null): StoredTimes {
  return times === null ? 0 : [times.at, times.periodEnd, times.receivedAt];
}

/** Throws an Error if it is not what {@link serializeOrderTimes} returns. */
export function parseOrderTimes(text: string): OrderTimes {
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value) || value.length !== 2 || !value.every(isStoredTimes)) {
    throw new Error('orders.times are not the times of an order.');
  }
  const [paid = 0, expired = 0] = value;
  return { paid: fromStored(paid), expired: fromStored(expired) };
}

function isStoredTimes(value: unknown): value is StoredTimes {
  if (value === 0) return true;
  if (!Array.isArray(value) || value.length !== 3) return false;
  const [at, periodEnd, receivedAt] = value as readonly unknown[];
  return [at, periodEnd].every((time) => time === null || typeof time === 'number') && typeof receivedAt === 'number';
}

function fromStored(stored: StoredTimes): LatestTimes | null {
  if (stored === 0) return null;
  const [at, periodEnd, receivedAt] = stored;
  return { at, periodEnd, receivedAt };
}
