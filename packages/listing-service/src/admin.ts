import { TallyhookError } from '@tallyhook/platform/errors';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import { normalizeText } from '@tallyhook/platform/truncate';
import { castVote, type VoteInput, type VoteOutcome } from './actions/cast-vote.ts';
import { configureWebhook, rotateWebhookSecret, testWebhook } from './actions/configure-webhook.ts';
import { createListing, type NewListing } from './actions/create-listing.ts';
import { type PremiumOutcome, type PurchaseOrder, purchase, transitionOrder } from './actions/orders.ts';
import type { Listing, ServiceListingKind } from './listing/listing.ts';
import { countVote } from './monitoring/service-counters.ts';
import {
  type DeliveryAttempt,
  deliveryRecords,
  requeueDelivery,
  type WebhookDeliveryRecord,
} from './storage/deliveries/deliveries.ts';
import { findWebhook, type Webhook } from './storage/deliveries/webhooks.ts';
import { removeAllCoOwners } from './storage/listings/co-owners.ts';
import { issueKey, revokeKey } from './storage/listings/keys.ts';
import { allListings, findListing, setOwner } from './storage/listings/listings.ts';
import { type ServiceMember, upsertMember, withSafeName } from './storage/members/members.ts';
import { upsertReview } from './storage/reviews.ts';
import type { DeliveryContext } from './webhooks/attempt.ts';
import type { LifecycleEvent, WebhookFamily } from './webhooks/event-kinds.ts';

/** URLs and secrets of both webhook families. A family without a URL is not changed. */
export interface WebhookSettings {
  readonly voteUrl?: string;
  readonly voteSecret?: string;
  readonly premiumUrl?: string;
  readonly premiumSecret?: string;
}

/** The secrets that sign from now on, of the families whose URL was set. */
export type WebhookSecrets = Pick<WebhookSettings, 'voteSecret' | 'premiumSecret'>;

/**
 * The programmatic API of the service: the actions of members and owners, for the sandbox, for tests and for the
 * command line. Methods throw a TallyhookError `unknown_listing` if the listing does not exist, and `invalid_user` for a
 * user id that is not 1 to 20 digits.
 */
export interface ServiceAdmin {
  listings(): Promise<Listing[]>;
  /** Creates a listing and its first API key, which cannot be shown again. */
  createListing(listing: NewListing): Promise<{ listing: Listing; key: string }>;
  /** Gives a listing to another member, who has no co-owners. Keys, webhooks, votes and reviews remain. */
  setOwner(listingId: string, owner: ServiceMember): Promise<void>;
  /** Creates a further key. Existing keys remain valid until they are revoked. */
  issueKey(listingId: string, label?: string): Promise<string>;
  /** False if the listing has no active key with this id. */
  revokeKey(listingId: string, keyId: number): Promise<boolean>;
  /** Votes for a listing, or for the oldest listing of a kind. */
  castVote(
    vote: ServiceMember & Omit<VoteInput, 'voter'> & ({ listingId: string } | { kind: ServiceListingKind }),
  ): Promise<VoteOutcome>;
  /** Adds a review of 1 to 5 stars. A user has one review per listing; a second replaces the first. */
  addReview(review: ServiceMember & { listingId: string; rating: number; comment: string }): Promise<void>;
  purchase(order: PurchaseOrder & { listingId: string }): Promise<PremiumOutcome>;
  /** Renews, expires or revokes an active order. */
  transitionOrder(listingId: string, orderId: string, event: LifecycleEvent): Promise<PremiumOutcome>;
  /**
   * Sets webhook URLs and returns the current secrets. Without a secret, the stored one is used or a new one is
   * created. Throws a TallyhookError `webhook_url_rejected` for an address that is not on the public internet, unless it
   * is on this machine and the service was started with `allowLoopbackTargets`.
   */
  setWebhook(
    listingId: string,
    settings: WebhookSettings & { readonly voteUrl: string; readonly premiumUrl: string },
  ): Promise<Required<WebhookSecrets>>;
  setWebhook(
    listingId: string,
    settings: WebhookSettings & { readonly voteUrl: string },
  ): Promise<WebhookSecrets & { readonly voteSecret: string }>;
  setWebhook(
    listingId: string,
    settings: WebhookSettings & { readonly premiumUrl: string },
  ): Promise<WebhookSecrets & { readonly premiumSecret: string }>;
  setWebhook(listingId: string, settings: WebhookSettings): Promise<WebhookSecrets>;
  /** Where deliveries of a family are sent, and what signs them, for the faults of the sandbox; null for nowhere. @internal */
  findWebhook(listingId: string, family: WebhookFamily): Promise<Pick<Webhook, 'url' | 'secret'> | null>;
  /** Creates a new secret, which signs from now on. The previous one remains valid for a day. */
  rotateSecret(listingId: string, family: WebhookFamily): Promise<string>;
  /** "Test Webhook": sends one delivery immediately; null if the listing has no webhook of this family. */
  testWebhook(listingId: string, family: WebhookFamily): Promise<DeliveryAttempt | null>;
  /** The last deliveries, newest first. */
  deliveries(listingId: string, limit?: number): Promise<WebhookDeliveryRecord[]>;
  /** Sends a delivery again in any state; false if the listing has no delivery with this id. */
  resend(listingId: string, deliveryId: string): Promise<boolean>;
}

/** @param onQueued is called after a delivery may have been queued */
export function createServiceAdmin(context: DeliveryContext, onQueued: () => void): ServiceAdmin {
  const { database, clock, targets, counters } = context;

  async function requireListing(id: string): Promise<Listing> {
    const listing = await findListing(database, id);
    if (listing === null || listing.state === 'deleting')
      throw new TallyhookError('unknown_listing', `Unknown listing "${id}".`);
    return listing;
  }

  async function votedListing(vote: { listingId: string } | { kind: ServiceListingKind }): Promise<Listing> {
    if ('listingId' in vote) return requireListing(vote.listingId);
    const all = await allListings(database, vote.kind);
    const first = all.find(({ state }) => state !== 'deleting');
    return first ?? requireListing(vote.kind);
  }

  return {
    listings: () => allListings(database),

    createListing: (listing) => createListing(database, listing, clock.now()),

    async setOwner(listingId, owner) {
      await requireListing(listingId);
      await database.transaction().execute(async (sql) => {
        await upsertMember(sql, withSafeName(owner));
        await removeAllCoOwners(sql, listingId);
        await setOwner(sql, listingId, owner.userId);
      });
    },

    async issueKey(listingId, label = 'Key') {
      return issueKey(database, await requireListing(listingId), label, clock.now());
    },

    revokeKey: (listingId, keyId) => revokeKey(database, listingId, keyId, clock.now()),

    async castVote(vote) {
      const voter = requireMember(vote);
      const outcome = await castVote(database, await votedListing(vote), { ...vote, voter }, clock.now());
      countVote(counters, outcome);
      onQueued();
      return outcome;
    },

    async addReview({ listingId, rating, comment, ...author }) {
      await requireListing(listingId);
      const { userId, username } = requireMember(author);
      await upsertMember(database, { userId, username });
      const review = { listingId, userId, username, rating, comment: normalizeText(comment), createdAt: clock.now() };
      await upsertReview(database, review);
      counters.reviews += 1;
    },

    async purchase({ listingId, ...order }) {
      requireMember(order.buyer);
      if (order.recipient !== undefined) requireMember(order.recipient);
      const outcome = await purchase(database, await requireListing(listingId), order, clock.now());
      onQueued();
      return outcome;
    },

    async transitionOrder(listingId, orderId, event) {
      const outcome = await transitionOrder(database, await requireListing(listingId), orderId, event, clock.now());
      onQueued();
      return outcome;
    },

    async setWebhook(listingId: string, settings: WebhookSettings) {
      await requireListing(listingId);
      const secrets: { voteSecret?: string; premiumSecret?: string } = {};
      for (const family of ['vote', 'premium'] as const) {
        const [url, secret] = [settings[`${family}Url`], settings[`${family}Secret`]];
        if (url === undefined) continue;
        secrets[`${family}Secret`] = await configureWebhook(database, { listingId, family, url, secret }, targets);
      }
      onQueued();
      return secrets as Required<WebhookSecrets>; // The overloads say which of them there are.
    },

    findWebhook: (listingId, family) => findWebhook(database, listingId, family),

    rotateSecret: (listingId, family) => rotateWebhookSecret(database, listingId, family, clock.now()),

    async testWebhook(listingId, family) {
      const listing = await requireListing(listingId);
      return testWebhook(context, listing, family, { userId: listing.ownerId, username: 'owner' });
    },

    deliveries: (listingId, limit = 50) => deliveryRecords(database, listingId, { limit }),

    async resend(listingId, deliveryId) {
      const requeued = await requeueDelivery(database, listingId, deliveryId, clock.now());
      onQueued();
      return requeued;
    },
  };
}

/** @throws TallyhookError `invalid_user` */
function requireMember({ userId, username }: ServiceMember): ServiceMember {
  if (isSnowflake(userId)) return withSafeName({ userId, username });
  throw new TallyhookError('invalid_user', 'The id of a user must be 1 to 20 digits.', {
    hint: 'Use the Discord ID of the user.',
  });
}
