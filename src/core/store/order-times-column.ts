import { hasExpired, type LatestTimes, type OrderTimes } from '../tally/order-times.ts';
import type { Tables } from './tables.ts';

/*
 * `orders.times`: a JSON array without names, [paid, expired], each [at, periodEnd, receivedAt] or 0. Null in orders
 * from before the column, and in those that only earlier versions have changed since.
 */

type StoredTimes = readonly [at: number | null, periodEnd: number | null, receivedAt: number] | 0;

export function serializeOrderTimes({ paid, expired }: OrderTimes): string {
  return JSON.stringify([toStored(paid), toStored(expired)]);
}

/** The times of an order; what the other columns say if an earlier version has changed it without them. */
export function orderTimesOf({
  times: text,
  state,
  period_end: periodEnd,
}: Pick<Tables['orders'], 'times' | 'state' | 'period_end'>): OrderTimes {
  const times = text === null ? null : parseOrderTimes(text);
  if (times !== null && (state === 'revoked' || hasExpired(times) === (state === 'expired'))) return times;
  const known = { at: null, periodEnd, receivedAt: 0 };
  return state === 'expired' ? { paid: null, expired: known } : { paid: known, expired: null };
}

function toStored(times: LatestTimes | null): StoredTimes {
  return times === null ? 0 : [times.at, times.periodEnd, times.receivedAt];
}

/** Throws an Error if it is not what {@link serializeOrderTimes} returns. */
function parseOrderTimes(text: string): OrderTimes {
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
