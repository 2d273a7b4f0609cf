import type { Premium } from '../ledger/event.ts';
import type { Order } from './tally.ts';

/**
 * The event with whoever holds its order. A recipient that it names goes first; a mere buyer, or the giver of a gift, gives way to the
 * known holder. Null where nobody is known, or only somebody who may be the giver.
 */
export function withHolder(event: Premium, known: Order | null): Premium {
  const userId = event.isRecipient || known === null ? event.userId : holderOf(event, known);
  const payer = event.giftedBy ?? event.userId;
  return { ...event, userId, giftedBy: payer === userId ? null : payer };
}

function holderOf(event: Premium, known: Order): string | null {
  const isUnclaimedGift = known.state === 'active' && known.userId === null;
  const holder = known.userId ?? event.userId;
  return isUnclaimedGift || holder === event.giftedBy ? null : holder;
}

/** Every name of the order that an event speaks of, the one that it is kept under first. */
export function orderNames(event: Premium, known: Order | null): string[] {
  return [...new Set([...(known?.orderIds ?? []), ...event.orderIds])];
}

/** The order as an event leaves it; null where the event names none. */
export function applyToOrder(event: Premium, known: Order | null, listing: string): Order | null {
  const orderIds = orderNames(event, known);
  if (orderIds.length === 0) return null;
  return {
    orderIds,
    listing: known?.listing ?? listing,
    userId: event.userId ?? known?.userId ?? null,
    tier: event.tier ?? known?.tier ?? null,
    state: stateAfter(event, known),
    periodEnd: latest(event.periodEnd, known?.periodEnd ?? null),
  };
}

/** Two orders that an event shows to be one. A revocation of either is one of both. */
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

/** A revocation is for ever; an expiry ends only the period that it speaks of. */
function stateAfter(event: Premium, known: Order | null): Order['state'] {
  if (known?.state === 'revoked' || event.kind === 'subscription.revoked') return 'revoked';
  if (event.kind !== 'subscription.expired') return 'active';
  const knownEnd = known?.periodEnd ?? null;
  const overtaken =
    known?.state === 'active' && event.periodEnd !== null && knownEnd !== null && event.periodEnd < knownEnd;
  return overtaken ? 'active' : 'expired';
}

function latest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}
