import type { SqlDialect } from '../../../platform/database/dialect.ts';
import type { Migration } from '../../../platform/database/migrations/migration.ts';
import { runStatements, tableWords } from './statements.ts';

/** The first version of the service's tables. */
export function firstTables(dialect: SqlDialect): Migration {
  return { up: runStatements(statements(tableWords(dialect))) };
}

const statements = ({ id, integer, strict }: ReturnType<typeof tableWords>) => [
  `create table listings (
    id text primary key, kind text not null check (kind in ('server', 'bot')), name text not null, description text not null,
    tags_json text not null, facts_json text not null, owner_id text not null, created_at ${integer} not null
  )${strict}`,
  `create table members (user_id text primary key, username text not null)${strict}`,
  `create table keys (
    id ${id}, listing_id text not null references listings (id), hash text not null unique,
    hint text not null, label text not null, created_at ${integer} not null, revoked_at ${integer}
  )${strict}`,
  `create table requests (key_id ${integer} not null references keys (id), at ${integer} not null)${strict}`,
  `create index requests_by_key on requests (key_id, at)`,
  `create table votes (
    id ${id}, listing_id text not null references listings (id), user_id text not null,
    voted_at ${integer} not null, denial_reason text
  )${strict}`,
  `create index votes_by_user on votes (listing_id, user_id, voted_at)`,
  `create index votes_by_time on votes (listing_id, voted_at)`,
  `create table reviews (
    id ${id}, listing_id text not null references listings (id), user_id text not null,
    username text not null, rating ${integer} not null check (rating between 1 and 5), comment text not null,
    created_at ${integer} not null, unique (listing_id, user_id)
  )${strict}`,
  `create table purchases (
    order_id text primary key, purchase_id text not null, listing_id text not null references listings (id),
    buyer_id text not null, buyer_name text not null, recipient_id text, recipient_name text, tier_json text not null,
    status text not null, auto_renew ${integer} not null, current_period_end ${integer}, created_at ${integer} not null
  )${strict}`,
  `create table webhooks (
    listing_id text not null references listings (id), family text not null check (family in ('vote', 'premium')),
    url text not null, secret text not null, previous_secret text, previous_until ${integer}, failing_since ${integer},
    failures ${integer} not null, paused_at ${integer}, pause_reason text, primary key (listing_id, family)
  )${strict}`,
  `create table deliveries (
    id text primary key, listing_id text not null references listings (id), family text not null, event text not null,
    test ${integer} not null, body text not null, created_at ${integer} not null, state text not null, attempts ${integer} not null,
    next_attempt_at ${integer} not null, leased_until ${integer}
  )${strict}`,
  `create index deliveries_by_listing on deliveries (listing_id, created_at)`,
  `create index deliveries_waiting on deliveries (next_attempt_at) where state = 'waiting'`,
  `create table attempts (
    id ${id}, delivery_id text not null references deliveries (id), at ${integer} not null,
    duration_ms ${integer} not null, url text not null, signed_with text not null, status ${integer}, error text, answer text
  )${strict}`,
  `create index attempts_by_delivery on attempts (delivery_id)`,
  `create table sign_in_links (
    hash text primary key, user_id text not null, username text not null, expires_at ${integer} not null
  )${strict}`,
  `create table settings (name text primary key, value text not null)${strict}`,
];
