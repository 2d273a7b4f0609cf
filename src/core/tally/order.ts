import { endsOrder, type Premium } from '../../webhook/event.ts';
import { type CommunityId, isPseudonym } from '../ledger/account.ts';
import type { PremiumOrder } from '../rewards/decide-vote.ts';
import type { ListingContext } from './listing-context.ts';

const noTimes: OrderTimes = { paid: null, expired: null };

/**
 * The event with the holder of its order. A recipient in the event takes precedence; the stored holder takes precedence
 * over a buyer or the giver of a gift. `userId` is null if the holder is unknown, or may be the giver.
 */
export function withHolder(event: Premium, storedOrder: Order | null): Premium {
  const userId = event.isRecipient || storedOrder === null ? event.userId : holderOf(event, storedOrder);
  const payer = event.giftedBy ?? event.userId;
  return { ...event, userId, giftedBy: payer === userId ? null : payer };
}

function holderOf(event: Premium, storedOrder: Order): string | null {
  // A forgotten member who continues the order is known again; otherwise the pseudonym would be linked to the id.
  if (isPseudonym(storedOrder.userId ?? '')) return event.userId === event.giftedBy ? null : event.userId;
  const isUnclaimedGift = storedOrder.state === 'active' && storedOrder.userId === null;
  const holder = storedOrder.userId ?? event.userId;
  return isUnclaimedGift || holder === event.giftedBy ? null : holder;
}

/** All known IDs of the event's order, the primary key first. */
export function orderIdsOf(event: Premium, storedOrder: Order | null): string[] {
  return [...new Set([...(storedOrder?.orderIds ?? []), ...event.orderIds])];
}

/**
 * The order after the event; null if the event has no order ID.
 * @param delivery `receivedAt` in ms since the epoch
 */
export function applyToOrder(
  event: Premium,
  storedOrder: Order | null,
  { listing, receivedAt }: { readonly listing: ListingContext; readonly receivedAt: number },
): Order | null {
  const times = withEvent(storedOrder?.times ?? noTimes, event, receivedAt);
  const isRevoked = storedOrder?.state === 'revoked' || event.kind === 'subscription.revoked';
  const orderIds = orderIdsOf(event, storedOrder);
  if (orderIds.length === 0) return null;
  return {
    communityId: listing.community.id,
    orderIds,
    listing: storedOrder?.listing ?? listing.name,
    userId: event.userId ?? storedOrder?.userId ?? null,
    tier: event.tier ?? storedOrder?.tier ?? null,
    ...stateOf(times, isRevoked),
  };
}

/** Merges two orders after an event has shown that they are the same one. It is revoked if either is. */
export function mergeOrders(one: Order, other: Order): Order {
  return {
    communityId: one.communityId,
    orderIds: [...new Set([...one.orderIds, ...other.orderIds])],
    listing: one.listing,
    userId: one.userId ?? other.userId,
    tier: one.tier ?? other.tier,
    ...stateOf(mergeTimes(one.times, other.times), one.state === 'revoked' || other.state === 'revoked'),
  };
}

/** A revocation is final. An expiry that is later than the last payment ends the order, whatever its period. */
function stateOf(times: OrderTimes, isRevoked: boolean): Pick<Order, 'state' | 'periodEnd' | 'times'> {
  const state = isRevoked ? 'revoked' : hasExpired(times) ? 'expired' : 'active';
  return { state, periodEnd: times.paid?.periodEnd ?? null, times };
}

/** The latest of what the events of one kind have stated (ms since the epoch); null if none has stated it. */
export interface LatestTimes {
  /** The time of the event. */
  readonly at: number | null;
  /** The end of the period. */
  readonly periodEnd: number | null;
  readonly receivedAt: number;
}

/** Times that decide whether an order has expired; null without such an event. */
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

function mergeTimes(one: OrderTimes, other: OrderTimes): OrderTimes {
  return { paid: latestOf(one.paid, other.paid), expired: latestOf(one.expired, other.expired) };
}

/**
 * True if the last expiry is later than the last payment: by the time that the service stated, or else by the period
 * that was paid or has expired, or else by arrival. An expiry of the same time or period is later.
 */
function hasExpired({ paid, expired }: OrderTimes): boolean {
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

/** The current state of a premium order. */
export interface Order extends Omit<PremiumOrder, 'id'> {
  /** The accounts of the community that it belongs to: another one may have an order with the same ids. */
  readonly communityId: CommunityId;
  /** All IDs of the order. The first is its primary key. */
  readonly orderIds: readonly string[];
  readonly listing: string;
  readonly times: OrderTimes;
}
