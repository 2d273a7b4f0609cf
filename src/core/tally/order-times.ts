import { endsOrder, type Premium } from '../../webhook/event.ts';

/** The latest of what the events of one kind have stated (ms since the epoch); null if none has stated it. */
export interface LatestTimes {
  /** The time of the event. */
  readonly at: number | null;
  /** The end of the period. */
  readonly periodEnd: number | null;
  readonly receivedAt: number;
}

/** What decides whether an order has expired; null without such an event. */
export interface OrderTimes {
  /** Purchases and renewals. */
  readonly paid: LatestTimes | null;
  readonly expired: LatestTimes | null;
}

/** The times with an event. Only maxima are stored, so the result does not depend on the order of arrival. */
export function withEvent(times: OrderTimes, { kind, at, periodEnd }: Premium, receivedAt: number): OrderTimes {
  const event = { at, periodEnd, receivedAt };
  if (kind === 'subscription.expired') return { ...times, expired: latestOf(times.expired, event) };
  return endsOrder(kind) ? times : { ...times, paid: latestOf(times.paid, event) };
}

export function mergeTimes(one: OrderTimes, other: OrderTimes): OrderTimes {
  return { paid: latestOf(one.paid, other.paid), expired: latestOf(one.expired, other.expired) };
}

/**
 * Whether the last expiry is later than the last payment: by the time that the service stated, or else by the period
 * that was paid or has expired, or else by arrival. An expiry of the same time or period is later.
 */
export function hasExpired({ paid, expired }: OrderTimes): boolean {
  if (expired === null || paid === null) return expired !== null;
  const haveTimes = expired.at !== null && paid.at !== null;
  if (haveTimes && expired.at !== paid.at) return Number(expired.at) > Number(paid.at);
  if (expired.periodEnd !== null && paid.periodEnd !== null) return expired.periodEnd >= paid.periodEnd;
  return haveTimes || expired.receivedAt >= paid.receivedAt;
}

function latestOf(one: LatestTimes | null, other: LatestTimes | null): LatestTimes | null {
  if (one === null || other === null) return one ?? other;
  return {
    at: latest(one.at, other.at),
    periodEnd: latest(one.periodEnd, other.periodEnd),
    receivedAt: Math.max(one.receivedAt, other.receivedAt),
  };
}

function latest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}
