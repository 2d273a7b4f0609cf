import type { Words } from '../words.ts';

/** What is to be done after a commit, and what Discord has rejected of it. */
export const outbox = ({ id, byKey }: Words) => [
  `create table if not exists effects (
    id ${id},
    delivery_id bigint not null,
    kind text not null,
    queue text not null,
    content text not null,
    state text not null,
    attempts integer not null,
    due_at bigint not null,
    created_at bigint not null,
    finished_at bigint,
    nonce text,
    reason text,
    unsure_since bigint,
    traceparent text
  )`,
  // Effects are claimed by queue: a search by time alone would pass through the backlog of every paused channel.
  `create index if not exists effects_by_channel on effects (queue, due_at, id) where state = 'waiting'`,
  `create index if not exists effects_buried on effects (id) where state = 'buried'`,
  'create index if not exists effects_of_delivery on effects (delivery_id)',

  // In a table of their own, so that the queues contain only what is due.
  `create table if not exists planned_effects (
    key text not null primary key,
    user_id text,
    delivery_id bigint,
    kind text not null,
    queue text not null,
    content text not null,
    due_at bigint not null,
    planned_at bigint not null
  ) ${byKey}`,
  'create index if not exists planned_effects_due on planned_effects (due_at, key)',
  // The reminders of a member, and what is deleted of one who is forgotten.
  'create index if not exists planned_effects_of_user on planned_effects (user_id) where user_id is not null',

  `create table if not exists announcement_progress (key text not null primary key, until_at bigint not null) ${byKey}`,
  `create table if not exists announced_reviews (
    listing text not null,
    review text not null,
    at bigint,
    constraint announced_reviews_key primary key (listing, review)
  )`,
  `create table if not exists reports (key text not null primary key, at bigint not null) ${byKey}`,
  `create table if not exists handler_subscriptions (
    kind text not null primary key,
    renewed_at bigint not null
  ) ${byKey}`,

  `create table if not exists open_circuits (
    target text not null primary key,
    guild_id text,
    code bigint not null,
    reason text not null,
    opened_at bigint not null,
    probe_at bigint not null
  ) ${byKey}`,
  `create table if not exists invalid_requests (minute bigint not null primary key, count bigint not null) ${byKey}`,
  // The minute first: old ones are deleted by it.
  `create table if not exists guild_rejections (
    minute bigint not null,
    guild_id text not null,
    count bigint not null,
    constraint guild_rejections_key primary key (minute, guild_id)
  ) ${byKey}`,
];
