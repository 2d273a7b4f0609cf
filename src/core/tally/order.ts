import type { Premium } from '../../webhook/event.ts';
import { isPseudonym } from '../ledger/account.ts';
import type { ListingContext } from './listing-context.ts';
import { hasExpired, mergeTimes, type OrderTimes, withEvent } from './order-times.ts';
import type { Order } from './tally.ts';

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
