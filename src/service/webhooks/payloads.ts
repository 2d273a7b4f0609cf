import type { Listing, ListingKind } from '../listing/listing.ts';
import type { ServiceMember } from '../storage/members.ts';
import type { Purchase } from '../storage/purchases.ts';
import type { WebhookFamily } from '../storage/tables.ts';

/** The kinds of events (document, section 6), and the premium life cycle, of which the document is silent. */
export type WebhookEventKind =
  | 'server_vote'
  | 'bot_vote'
  | 'premium_purchase'
  | 'subscription.renewed'
  | 'subscription.expired'
  | 'subscription.revoked';

export type LifeCycle = Extract<WebhookEventKind, `subscription.${string}`>;

/** The body of a delivery, before it is written down as JSON. */
export interface Payload {
  readonly event: WebhookEventKind;
  /** ISO 8601 UTC with milliseconds: when it happened, and part of a vote's identity. */
  readonly timestamp: string;
  readonly [field: string]: unknown;
}

export function voteEvent(kind: ListingKind): WebhookEventKind {
  return kind === 'server' ? 'server_vote' : 'bot_vote';
}

export function webhookFamilyOf(event: WebhookEventKind): WebhookFamily {
  return event === 'server_vote' || event === 'bot_vote' ? 'vote' : 'premium';
}

export interface VoteFacts {
  readonly voter: ServiceMember;
  readonly at: number;
  /** A number of credits, or whether the receiver's own amount is due. */
  readonly creditsAwarded: number | boolean;
  readonly adBlocker: boolean;
  /** Why nothing is due; null when something is. */
  readonly denialReason: string | null;
  readonly test: boolean;
}

/**
 * A vote. It names the voter both flat (`userId`, as the document's sample reads it) and nested (`voter`), so that receivers
 * of either school understand it.
 */
export function votePayload(listing: Pick<Listing, 'kind' | 'id' | 'name'>, vote: VoteFacts): Payload {
  return {
    event: voteEvent(listing.kind),
    timestamp: new Date(vote.at).toISOString(),
    ...target(listing),
    userId: vote.voter.userId,
    voter: vote.voter,
    creditsAwarded: vote.creditsAwarded,
    ...(vote.denialReason === null ? {} : { creditDenialReason: vote.denialReason }),
    adBlocker: vote.adBlocker,
    ...(vote.test ? { test: true } : {}),
  };
}

/** A purchase as it was made. A gift has a recipient and says who gave it. */
export function purchasePayload(
  listing: Pick<Listing, 'kind' | 'id' | 'name'>,
  purchase: Purchase,
  at: number,
  test = false,
): Payload {
  return {
    event: 'premium_purchase',
    timestamp: new Date(at).toISOString(),
    ...order(listing, purchase),
    ...(test ? { test: true } : {}),
  };
}

/** What became of a purchase since. */
export function lifeCyclePayload(
  event: LifeCycle,
  listing: Pick<Listing, 'kind' | 'id' | 'name'>,
  purchase: Purchase,
  at: number,
): Payload {
  return {
    event,
    timestamp: new Date(at).toISOString(),
    ...order(listing, purchase),
    status: purchase.status,
    autoRenew: purchase.autoRenew,
    currentPeriodEnd: purchase.currentPeriodEnd === null ? null : new Date(purchase.currentPeriodEnd).toISOString(),
  };
}

function target(listing: Pick<Listing, 'kind' | 'id' | 'name'>): Record<string, unknown> {
  const { id, name } = listing;
  return listing.kind === 'server' ? { serverId: id, server: { id, name } } : { bot: { id, name } };
}

function order(listing: Pick<Listing, 'kind' | 'id' | 'name'>, purchase: Purchase): Record<string, unknown> {
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
