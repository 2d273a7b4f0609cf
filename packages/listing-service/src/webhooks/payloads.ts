import type { Listing } from '../listing/listing.ts';
import type { ServiceMember } from '../storage/members/members.ts';
import type { Purchase } from '../storage/purchases.ts';
import { type LifecycleEvent, voteKindOf, type WebhookEventKind } from './event-kinds.ts';

/** The body of a delivery before it is serialized as JSON. */
export interface Payload {
  readonly event: WebhookEventKind;
  /** Time of the event, ISO 8601 UTC with milliseconds; part of the idempotency key of a vote. */
  readonly timestamp: string;
  readonly [field: string]: unknown;
}

type NamedListing = Pick<Listing, 'kind' | 'id' | 'name'>;

export interface VoteDetails {
  readonly voter: ServiceMember;
  readonly at: number;
  /** A number of credits, or whether the receiver should award its own amount. */
  readonly creditsAwarded: number | boolean;
  readonly adBlocker: boolean;
  /** Why no credits are due; null if they are. */
  readonly denialReason: string | null;
  readonly test: boolean;
}

/**
 * The payload of a vote. It contains the voter both flat (`userId`, as in the document's sample) and nested (`voter`),
 * because receivers read either.
 */
export function votePayload(listing: NamedListing, vote: VoteDetails): Payload {
  return {
    event: voteKindOf(listing.kind),
    timestamp: new Date(vote.at).toISOString(),
    ...listingFields(listing),
    userId: vote.voter.userId,
    voter: vote.voter,
    creditsAwarded: vote.creditsAwarded,
    ...(vote.denialReason === null ? {} : { creditDenialReason: vote.denialReason }),
    adBlocker: vote.adBlocker,
    ...(vote.test ? { test: true } : {}),
  };
}

/** The payload of a purchase. A gift has a recipient and a giver. */
export function purchasePayload(listing: NamedListing, purchase: Purchase, at: number, test = false): Payload {
  return {
    event: 'premium_purchase',
    timestamp: new Date(at).toISOString(),
    ...purchaseFields(listing, purchase),
    ...(test ? { test: true } : {}),
  };
}

export function lifecyclePayload(
  event: LifecycleEvent,
  listing: NamedListing,
  purchase: Purchase,
  at: number,
): Payload {
  return {
    event,
    timestamp: new Date(at).toISOString(),
    ...purchaseFields(listing, purchase),
    status: purchase.status,
    autoRenew: purchase.autoRenew,
    currentPeriodEnd: purchase.currentPeriodEnd === null ? null : new Date(purchase.currentPeriodEnd).toISOString(),
  };
}

function listingFields(listing: NamedListing): Record<string, unknown> {
  const { id, name } = listing;
  return listing.kind === 'server' ? { serverId: id, server: { id, name } } : { bot: { id, name } };
}

function purchaseFields(listing: NamedListing, purchase: Purchase): Record<string, unknown> {
  return {
    purchaseId: purchase.purchaseId,
    orderId: purchase.orderId,
    buyer: purchase.buyer,
    recipient: purchase.recipient,
    isGift: purchase.recipient !== null,
    giftedBy: purchase.recipient === null ? null : purchase.buyer.userId,
    tier: purchase.tier,
    ...(listing.kind === 'server' ? { serverId: listing.id } : {}),
    vendor: { type: listing.kind, id: listing.id },
    targetType: listing.kind,
    targetName: listing.name,
  };
}
