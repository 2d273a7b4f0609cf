import type { Premium } from '../ledger/event.ts';
import { isPseudonym } from '../ledger/pseudonym.ts';
import type { Order } from './tally.ts';

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

/** The order after the event; null if the event has no order ID. */
export function applyToOrder(event: Premium, storedOrder: Order | null, listing: string): Order | null {
  const orderIds = orderIdsOf(event, storedOrder);
  if (orderIds.length === 0) return null;
  return {
    orderIds,
    listing: storedOrder?.listing ?? listing,
    userId: event.userId ?? storedOrder?.userId ?? null,
    tier: event.tier ?? storedOrder?.tier ?? null,
    state: stateAfter(event, storedOrder),
    periodEnd: latest(event.periodEnd, storedOrder?.periodEnd ?? null),
  };
}

/** Merges two orders after an event has shown that they are the same one. It is revoked if either is. */
export function mergeOrders(one: Order, other: Order): Order {
  const states = [one.state, other.state];
  return {
    orderIds: [...new Set([...one.orderIds, ...other.orderIds])],
    listing: one.listing,
    userId: one.userId ?? other.userId,
    tier: one.tier ?? other.tier,
    state: states.includes('revoked') ? 'revoked' : states.includes('active') ? 'active' : 'expired',
    periodEnd: latest(one.periodEnd, other.periodEnd),
  };
}

/** A revocation is final. An expiry ends only its own period. */
function stateAfter(event: Premium, storedOrder: Order | null): Order['state'] {
  if (storedOrder?.state === 'revoked' || event.kind === 'subscription.revoked') return 'revoked';
  if (event.kind !== 'subscription.expired') return 'active';
  const storedEnd = storedOrder?.periodEnd ?? null;
  const isOutdated =
    storedOrder?.state === 'active' && event.periodEnd !== null && storedEnd !== null && event.periodEnd < storedEnd;
  return isOutdated ? 'active' : 'expired';
}

function latest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}
