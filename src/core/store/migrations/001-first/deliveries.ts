import type { Words } from '../words.ts';

/** The log of deliveries, and by what their events are recognised. */
export const deliveries = ({ id, bytes, byKey }: Words) => [
  `create table if not exists deliveries (
    id ${id},
    received_at bigint not null,
    family text not null,
    listing text,
    kind text,
    outcome text not null,
    reason text,
    user_id text,
    credits bigint not null,
    body text not null,
    original_id bigint,
    origin text
  )`,
  // Few deliveries: almost all are recorded votes, which pay nothing for these two. A recorded vote is found by the
  // entries of its member.
  `create index if not exists deliveries_unusual on deliveries (outcome, id) where outcome <> 'recorded'`,
  `create index if not exists deliveries_of_user on deliveries (user_id, id)
    where outcome <> 'recorded' or family = 'premium'`,

  // Digests in a narrow table of their own: as texts in the log and in an index of it they took 140 bytes per vote.
  // They begin with the time of the event, so that new ones are added at the end.
  `create table if not exists event_keys (key ${bytes} not null primary key, delivery_id bigint not null) ${byKey}`,

  `create table if not exists forgotten_votes (
    key ${bytes} not null primary key,
    at bigint not null,
    expires_at bigint not null
  ) ${byKey}`,

  // Primary keys that begin with the community: two may each have an order with the same id.
  `create table if not exists orders (
    community_id bigint not null,
    id text not null,
    listing text not null,
    user_id text,
    tier text,
    state text not null,
    period_end bigint,
    updated_at bigint not null,
    times text not null,
    constraint orders_key primary key (community_id, id)
  )`,
  `create table if not exists order_names (
    community_id bigint not null,
    name text not null,
    order_id text not null,
    constraint order_names_key primary key (community_id, name)
  ) ${byKey}`,
];
