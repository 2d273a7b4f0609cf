import { TallyhookError } from '../platform/errors.ts';
import { castVote, type VoteInput, type VoteOutcome } from './actions/cast-vote.ts';
import { configureWebhook, rotateWebhookSecret } from './actions/configure-webhook.ts';
import { issueKey } from './actions/issue-key.ts';
import { type PremiumOutcome, type PurchaseOrder, purchase, transitionOrder } from './actions/premium.ts';
import { testWebhook } from './actions/test-webhook.ts';
import { type BotFacts, type Listing, type ListingKind, listingIdSchema, type ServerFacts } from './listing/listing.ts';
import type { DeliveryAttempt } from './storage/attempts.ts';
import { requeueDelivery } from './storage/deliveries.ts';
import { deliveryRecords, type WebhookDeliveryRecord } from './storage/delivery-records.ts';
import { revokeKey } from './storage/keys.ts';
import { allListings, findListing, insertListing } from './storage/listings.ts';
import { type ServiceMember, upsertMember } from './storage/members.ts';
import { upsertReview } from './storage/reviews.ts';
import type { WebhookFamily } from './storage/tables.ts';
import type { DeliveryContext } from './webhooks/attempt.ts';
import type { LifeCycle } from './webhooks/payloads.ts';

/** What is said of a listing that is put on the service; everything but kind, id and name has a plain default. */
export interface NewListing {
  readonly kind: ListingKind;
  readonly discordId: string;
  readonly name: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly ownerId?: string;
  readonly facts?: Partial<ServerFacts & BotFacts>;
}

/** Addresses and secrets of both families; a family without an address is left as it is. */
export interface WebhookSettings {
  readonly voteUrl?: string;
  readonly voteSecret?: string;
  readonly premiumUrl?: string;
  readonly premiumSecret?: string;
}

/**
 * The service by program: what members and owners do on its pages, for the sandbox, for tests and for the command line.
 * Every method throws a TallyhookError `unknown_listing` for a listing that there is not.
 */
export interface ServiceAdmin {
  listings(): Promise<Listing[]>;
  /** Puts a listing on the service. The key is shown this once. */
  createListing(listing: NewListing): Promise<{ listing: Listing; key: string }>;
  /** A further key; the older ones go on working until they are revoked. */
  issueKey(listingId: string, label?: string): Promise<string>;
  /** False when the listing has no such working key. */
  revokeKey(listingId: string, keyId: number): Promise<boolean>;
  /** A vote for the listing, or for the first one of a kind. */
  castVote(
    vote: ServiceMember & Omit<VoteInput, 'voter'> & ({ listingId: string } | { kind: ListingKind }),
  ): Promise<VoteOutcome>;
  /** 1 to 5 stars. Each user has one review per listing; a second replaces the first. */
  addReview(review: ServiceMember & { listingId: string; rating: number; comment: string }): Promise<void>;
  purchase(order: PurchaseOrder & { listingId: string }): Promise<PremiumOutcome>;
  /** Renewal, expiry or revocation of an active order. */
  movePurchase(listingId: string, orderId: string, event: LifeCycle): Promise<PremiumOutcome>;
  /** Sets where webhooks go; a secret that is not given is kept or made. Answers with the secrets in use. */
  setWebhook(listingId: string, settings: WebhookSettings): Promise<{ voteSecret?: string; premiumSecret?: string }>;
  /** Makes a new secret, which signs at once; the previous one stays in use for a day. */
  rotateSecret(listingId: string, family: WebhookFamily): Promise<string>;
  /** "Test Webhook": one delivery, sent at once; null where the family has no address. */
  testWebhook(listingId: string, family: WebhookFamily): Promise<DeliveryAttempt | null>;
  /** The last deliveries, the newest first. */
  deliveries(listingId: string, limit?: number): Promise<WebhookDeliveryRecord[]>;
  /** Sends a delivery again, whatever became of it; false where the listing has none of this id. */
  resend(listingId: string, deliveryId: string): Promise<boolean>;
}

/** @param queued is called when a delivery was written, so that it is sent at once. */
export function createServiceAdmin(sending: DeliveryContext, queued: () => void): ServiceAdmin {
  const { database, clock, targets } = sending;

  async function listed(id: string): Promise<Listing> {
    const listing = await findListing(database, id);
    if (listing === null) throw new TallyhookError('unknown_listing', `There is no listing "${id}".`);
    return listing;
  }

  async function voted(vote: { listingId: string } | { kind: ListingKind }): Promise<Listing> {
    if ('listingId' in vote) return listed(vote.listingId);
    const [first] = await allListings(database, vote.kind);
    return first ?? listed(vote.kind);
  }

  return {
    listings: () => allListings(database),

    async createListing(given) {
      const listing = newListing(given, clock.now());
      return database.transaction().execute(async (sql) => {
        if ((await findListing(sql, listing.id)) !== null) {
          throw new TallyhookError('listed_already', `"${listing.id}" is listed already.`, {
            hint: 'Choose another id, or edit it on its dashboard.',
          });
        }
        await insertListing(sql, listing);
        return { listing, key: await issueKey(sql, listing, 'First key', listing.createdAt) };
      });
    },

    async issueKey(listingId, label = 'Key') {
      return issueKey(database, await listed(listingId), label, clock.now());
    },

    revokeKey: (listingId, keyId) => revokeKey(database, listingId, keyId, clock.now()),

    async castVote(vote) {
      const voter = { userId: vote.userId, username: vote.username };
      const outcome = await castVote(database, await voted(vote), { ...vote, voter }, clock.now());
      queued();
      return outcome;
    },

    async addReview({ listingId, userId, username, rating, comment }) {
      await listed(listingId);
      await upsertMember(database, { userId, username });
      await upsertReview(database, { listingId, userId, username, rating, comment, createdAt: clock.now() });
    },

    async purchase({ listingId, ...order }) {
      const outcome = await purchase(database, await listed(listingId), order, clock.now());
      queued();
      return outcome;
    },

    async movePurchase(listingId, orderId, event) {
      const outcome = await transitionOrder(database, await listed(listingId), orderId, event, clock.now());
      queued();
      return outcome;
    },

    async setWebhook(listingId, settings) {
      await listed(listingId);
      const secrets: { voteSecret?: string; premiumSecret?: string } = {};
      const { voteUrl, voteSecret, premiumUrl, premiumSecret } = settings;
      if (voteUrl !== undefined) {
        const vote = { listingId, family: 'vote' as const, url: voteUrl, secret: voteSecret };
        secrets.voteSecret = await configureWebhook(database, vote, targets);
      }
      if (premiumUrl !== undefined) {
        const premium = { listingId, family: 'premium' as const, url: premiumUrl, secret: premiumSecret };
        secrets.premiumSecret = await configureWebhook(database, premium, targets);
      }
      queued();
      return secrets;
    },

    rotateSecret: (listingId, family) => rotateWebhookSecret(database, listingId, family, clock.now()),

    async testWebhook(listingId, family) {
      const listing = await listed(listingId);
      return testWebhook(sending, listing, family, { userId: listing.ownerId, username: 'owner' });
    },

    deliveries: (listingId, limit = 50) => deliveryRecords(database, listingId, limit),

    async resend(listingId, deliveryId) {
      const found = await requeueDelivery(database, listingId, deliveryId, clock.now());
      queued();
      return found;
    },
  };
}

function newListing(given: NewListing, now: number): Listing {
  if (!listingIdSchema.test(given.discordId)) {
    throw new TallyhookError('invalid_listing', 'The Discord id of a listing must be 1 to 20 digits.');
  }
  const listed = {
    id: given.discordId,
    name: given.name,
    description: given.description ?? '',
    tags: given.tags ?? [],
    ownerId: given.ownerId ?? '0',
    createdAt: now,
  };
  if (given.kind === 'bot') {
    return { ...listed, kind: 'bot', facts: { servers: given.facts?.servers ?? 0, shards: given.facts?.shards ?? 1 } };
  }
  const { servers: _servers, shards: _shards, ...facts } = given.facts ?? {};
  return { ...listed, kind: 'server', facts: { ...plainServer, ...facts } };
}

const plainServer: ServerFacts = {
  category: 'Community',
  features: [],
  emojis: [],
  channelCount: 0,
  roleCount: 0,
  rules: [],
  members: 0,
  online: 0,
};
