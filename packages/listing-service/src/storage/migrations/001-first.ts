import type { SqlDialect } from '@tallyhook/platform/database/dialect';
import { communityTables } from './community-tables.ts';
import { counts } from './counts.ts';
import { webhookTables } from './webhook-tables.ts';
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
