import type { Words } from './words.ts';

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
