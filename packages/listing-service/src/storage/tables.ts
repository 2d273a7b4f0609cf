import type { Generated, Selectable } from 'kysely';
import type { ServiceListingKind } from '../listing/listing.ts';
import type { WebhookFamily } from '../webhooks/event-kinds.ts';

/**
 * `waiting`: to be sent at `next_attempt_at`. `delivered`: the receiver returned 2xx. `failed`: not retried unless it
 * is resent.
 */
export type DeliveryState = 'waiting' | 'delivered' | 'failed';

/**
 * `published`: visible to everybody. `pending`: a new bot waits for the operator. `hidden`: by the operator. `deleting`:
 * the owner deleted it; its rows are deleted step by step. Only its owner sees a pending or hidden listing.
 */
export type ListingState = 'published' | 'pending' | 'hidden' | 'deleting';

/** The state of a premium order. `revoked` ended before its time, as after a refund. */
export type PurchaseStatus = 'active' | 'expired' | 'revoked';

/** Why the invite of a server does not lead to it any more. `unknown`: it has ended. */
export type LostInvite = 'unknown' | 'other-server';

export type ReportKind = 'review' | 'listing';

/** `upheld`: an operator acted on the report. */
export type ReportState = 'open' | 'dismissed' | 'upheld';

/** The service's tables. Times are ms since the epoch, flags are 0 or 1, columns named `*_json` contain JSON. */
export interface ServiceTables {
  listings: {
    id: string;
    kind: ServiceListingKind;
    name: string;
    description: string;
    tags_json: string;
    facts_json: string;
    owner_id: string;
    created_at: number;
    /** When its owner changed what the page says. */
    updated_at: number;
    state: Generated<ListingState>;
    /** Why the operator hid it, for the owner. */
    state_reason: string | null;
    /** Changes with the icon; null without one. */
    icon_version: string | null;
    /** At Discord; null if the owner gave none. */
    invite: string | null;
    categories_json: Generated<string>;
    /** See `updateGrowth`; calculated once an hour. */
    growth: Generated<number>;
  };
  /** `session_epoch`: see the sessions of the pages; null before the first sign-in. */
  members: { user_id: string; username: string; session_epoch: Generated<string | null> };
  /** Sessions that were signed out before they expired. */
  revoked_sessions: { id: string; expires_at: number };
  /** Members who may edit a listing of another member. */
  co_owners: { listing_id: string; user_id: string; added_at: number };
  listing_icons: { listing_id: string; version: string; type: string; data_base64: string };
  /**
   * The invites of servers whose numbers of members are read again at `due_at`. `read_at`: when they were read the last time.
   * `failures`: how often in turn the invite did not lead to the server, because of `problem`.
   */
  invite_checks: {
    listing_id: string;
    due_at: number;
    failures: number;
    problem: LostInvite | null;
    read_at: number | null;
  };
  /** Votes for a listing and webhook deliveries to it, by day since the epoch (UTC). Complete days only. */
  listing_days: { listing_id: string; day: number; votes: number; deliveries: number };
  keys: {
    id: Generated<number>;
    listing_id: string;
    hash: string;
    hint: string;
    label: string;
    created_at: number;
    revoked_at: number | null;
  };
  key_usage: { key_id: number; last_used_at: number };
  votes: { id: Generated<number>; listing_id: string; user_id: string; voted_at: number; denial_reason: string | null };
  /**
   * Maintained by triggers. `month` is 202612 for December 2026, UTC. On PostgreSQL, a month of a listing has several rows.
   */
  vote_counts: { listing_id: string; month: number; votes: number };
  /** Maintained by triggers. `version` changes whenever a review of the listing does. */
  review_counts: { listing_id: string; reviews: number; rating_sum: number; version: number };
  reviews: {
    id: Generated<number>;
    listing_id: string;
    user_id: string;
    username: string;
    rating: number;
    comment: string;
    created_at: number;
  };
  review_replies: { review_id: number; listing_id: string; reply: string; replied_at: number };
  /** Members whose last votes still have their id, until the cooldown is over. */
  member_deletions: { user_id: string; requested_at: number };
  purchases: {
    order_id: string;
    purchase_id: string;
    listing_id: string;
    buyer_id: string;
    buyer_name: string;
    recipient_id: string | null;
    recipient_name: string | null;
    tier_json: string;
    status: PurchaseStatus;
    auto_renew: number;
    current_period_end: number | null;
    created_at: number;
  };
  webhooks: {
    listing_id: string;
    family: WebhookFamily;
    url: string;
    secret: string;
    previous_secret: string | null;
    previous_until: number | null;
    failing_since: number | null;
    failures: number;
    paused_at: number | null;
    pause_reason: string | null;
    /** `owner`: only the owner resumes it. Null: paused after failures, or not paused. */
    paused_by: 'owner' | null;
  };
  deliveries: {
    id: string;
    listing_id: string;
    family: WebhookFamily;
    event: string;
    test: number;
    body: string;
    created_at: number;
    state: DeliveryState;
    attempts: number;
    next_attempt_at: number;
    leased_until: number | null;
    /** Which claim has the lease, so that a process whose lease has ended settles nothing. Null without a lease. */
    lease_id: string | null;
  };
  attempts: {
    id: Generated<number>;
    delivery_id: string;
    at: number;
    duration_ms: number;
    url: string;
    signed_with: 'current' | 'previous';
    status: number | null;
    error: string | null;
    answer: string | null;
  };
  sign_in_links: { hash: string; user_id: string; username: string; expires_at: number };
  /** Requests of bots that the member `user_id` is asked about. `code_hash` is null until the member approves it. */
  connect_requests: { id: string; user_id: string; request_json: string; code_hash: string | null; expires_at: number };
  proven_guilds: {
    user_id: string;
    guild_id: string;
    name: string;
    icon_url: string | null;
    is_owner: number;
    members: number | null;
    online: number | null;
    expires_at: number;
  };
  /** `review_user_id` is the author of a reported review, or empty. An operator closes reports. */
  reports: {
    id: string;
    kind: ReportKind;
    listing_id: string;
    review_user_id: string;
    reporter_id: string;
    reason: string;
    text: string;
    reported_text: string;
    state: ReportState;
    created_at: number;
    closed_at: number | null;
  };
  used_challenges: { id: string; expires_at: number };
  bans: { user_id: string; reason: string; banned_at: number };
  moderation_log: {
    id: string;
    at: number;
    operator_id: string;
    action: string;
    listing_id: string | null;
    user_id: string | null;
    reason: string;
  };
  settings: { name: string; value: string };
}

export type Row<Table extends keyof ServiceTables> = Selectable<ServiceTables[Table]>;
