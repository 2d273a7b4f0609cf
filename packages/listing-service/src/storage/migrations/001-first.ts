import type { SqlDialect } from '@tallyhook/platform/database/dialect';
import { counts } from './counts.ts';
import { type Words, wordsOf } from './words.ts';

/** All tables. What the columns mean is said in `tables.ts`; here are the reasons of the indexes. */
export function first(dialect: SqlDialect): string[] {
  const words = wordsOf(dialect);
  return [
    ...listingTables(words),
    ...webhookTables(words),
    ...communityTables(words),
    ...counts(dialect),
    // With SQLite, they are in a file of their own.
    ...(dialect.name === 'postgres' ? [rateLimits] : []),
  ];
}

/** The columns that rate-limiter-flexible expects. */
const rateLimits = `create unlogged table rate_limits (
    key text primary key, points bigint not null, expire bigint not null
  ) with (fillfactor = 70)`;

const listingTables = ({ id, integer, strict }: Words) => [
  `create table listings (
    id text primary key, kind text not null check (kind in ('server', 'bot')), name text not null, description text not null,
    tags_json text not null, facts_json text not null, owner_id text not null, created_at ${integer} not null,
    updated_at ${integer} not null, state text default 'published' not null, state_reason text, icon_version text,
    invite text, categories_json text default '[]' not null, growth integer default 0 not null
  )${strict}`,
  'create index listings_by_owner on listings (owner_id)',
  // Few: what an operator decides, and what is being deleted.
  `create index listings_not_published on listings (state) where state != 'published'`,
  // The whole of what the public list filters by, so that it reads no other rows.
  `create index listings_published on listings (kind, id, categories_json) where state = 'published'`,
  `create table co_owners (
    listing_id text not null, user_id text not null, added_at ${integer} not null,
    constraint co_owners_key primary key (listing_id, user_id)
  )${strict}`,
  'create index co_owners_by_member on co_owners (user_id)',
  `create table listing_icons (
    listing_id text primary key, version text not null, type text not null, data_base64 text not null
  )${strict}`,
  `create table invite_checks (
    listing_id text primary key, due_at ${integer} not null, failures ${integer} not null, problem text, read_at ${integer}
  )${strict}`,
  // The next one to ask Discord for.
  'create index invite_checks_due on invite_checks (due_at)',
  `create table listing_days (
    listing_id text not null, day ${integer} not null, votes ${integer} not null, deliveries ${integer} not null,
    constraint listing_days_key primary key (listing_id, day)
  )${strict}`,

  `create table keys (
    id ${id}, listing_id text not null references listings (id), hash text not null unique,
    hint text not null, label text not null, created_at ${integer} not null, revoked_at ${integer}
  )${strict}`,
  `create table key_usage (key_id ${integer} primary key, last_used_at ${integer} not null)${strict}`,

  `create table votes (
    id ${id}, listing_id text not null references listings (id), user_id text not null,
    voted_at ${integer} not null, denial_reason text
  )${strict}`,
  // A member's last vote, and the newest voters of a listing.
  'create index votes_by_user on votes (listing_id, user_id, voted_at)',
  'create index votes_by_time on votes (listing_id, voted_at)',
  `create table reviews (
    id ${id}, listing_id text not null references listings (id), user_id text not null,
    username text not null, rating ${integer} not null check (rating between 1 and 5), comment text not null,
    created_at ${integer} not null, unique (listing_id, user_id)
  )${strict}`,
  // Each order of a lookup, so that a page costs the same however many reviews a listing has.
  'create index reviews_newest on reviews (listing_id, created_at desc, id desc)',
  'create index reviews_highest on reviews (listing_id, rating desc, created_at desc, id desc)',
  'create index reviews_lowest on reviews (listing_id, rating, created_at desc, id desc)',
  `create table review_replies (
    review_id ${integer} primary key, listing_id text not null, reply text not null, replied_at ${integer} not null
  )${strict}`,
  // Those that are deleted with a listing.
  'create index review_replies_by_listing on review_replies (listing_id)',
  `create table purchases (
    order_id text primary key, purchase_id text not null, listing_id text not null references listings (id),
    buyer_id text not null, buyer_name text not null, recipient_id text, recipient_name text, tier_json text not null,
    status text not null, auto_renew ${integer} not null, current_period_end ${integer}, created_at ${integer} not null
  )${strict}`,
];

/** Members and their sessions, moderation, and limits of abuse. */
export const communityTables = ({ integer, strict }: Words) => [
  `create table members (user_id text primary key, username text not null, session_epoch text)${strict}`,
  `create table member_deletions (user_id text primary key, requested_at ${integer} not null)${strict}`,
  `create table sign_in_links (
    hash text primary key, user_id text not null, username text not null, expires_at ${integer} not null
  )${strict}`,
  `create table revoked_sessions (id text primary key, expires_at ${integer} not null)${strict}`,
  `create table proven_guilds (
    user_id text not null, guild_id text not null, name text not null, icon_url text, is_owner integer not null,
    members integer, online integer, expires_at ${integer} not null,
    constraint proven_guilds_pkey primary key (user_id, guild_id)
  )${strict}`,
  'create index proven_guilds_by_expiry on proven_guilds (expires_at)',
  `create table connect_requests (
    id text primary key, user_id text not null, request_json text not null, code_hash text, expires_at ${integer} not null
  )${strict}`,
  // A code is fetched once.
  'create unique index connect_requests_by_code on connect_requests (code_hash)',

  `create table reports (
    id text primary key, kind text not null, listing_id text not null, review_user_id text not null,
    reporter_id text not null, reason text not null, text text not null, reported_text text not null,
    state text not null, created_at ${integer} not null, closed_at ${integer}
  )${strict}`,
  // A member reports the same once at a time.
  `create unique index reports_open on reports (listing_id, kind, review_user_id, reporter_id) where state = 'open'`,
  'create index reports_by_reporter on reports (reporter_id, created_at)',
  `create table bans (user_id text primary key, reason text not null, banned_at ${integer} not null)${strict}`,
  `create table moderation_log (
    id text primary key, at ${integer} not null, operator_id text not null, action text not null, listing_id text,
    user_id text, reason text not null
  )${strict}`,
  'create index moderation_log_by_listing on moderation_log (listing_id, at)',
  'create index moderation_log_by_time on moderation_log (at, id)',
  `create table used_challenges (id text primary key, expires_at ${integer} not null)${strict}`,
  'create index used_challenges_by_expiry on used_challenges (expires_at)',

  `create table settings (name text primary key, value text not null)${strict}`,
];

export const webhookTables = ({ id, integer, strict }: Words) => [
  `create table webhooks (
    listing_id text not null references listings (id), family text not null check (family in ('vote', 'premium')),
    url text not null, secret text not null, previous_secret text, previous_until ${integer}, failing_since ${integer},
    failures ${integer} not null, paused_at ${integer}, pause_reason text, paused_by text, primary key (listing_id, family)
  )${strict}`,
  `create table deliveries (
    id text primary key, listing_id text not null references listings (id), family text not null, event text not null,
    test ${integer} not null, body text not null, created_at ${integer} not null, state text not null,
    attempts ${integer} not null, next_attempt_at ${integer} not null, leased_until ${integer}, lease_id text
  )${strict}`,
  'create index deliveries_by_listing on deliveries (listing_id, created_at)',
  // The dispatcher finds due deliveries by these, however many are stored or wait for one webhook.
  `create index deliveries_waiting on deliveries (next_attempt_at) where state = 'waiting'`,
  `create index deliveries_by_webhook on deliveries (listing_id, family, next_attempt_at) where state = 'waiting'`,
  'create index deliveries_leased on deliveries (leased_until) where leased_until is not null',
  // What owners are shown as failed.
  `create index deliveries_failed on deliveries (listing_id, created_at, id) where state = 'failed'`,
  // Old ones are deleted by it, without reading all.
  `create index deliveries_finished on deliveries (created_at) where state != 'waiting'`,
  `create table attempts (
    id ${id}, delivery_id text not null references deliveries (id), at ${integer} not null,
    duration_ms ${integer} not null, url text not null, signed_with text not null, status ${integer}, error text, answer text
  )${strict}`,
  'create index attempts_by_delivery on attempts (delivery_id)',
];
