import type { Words } from '../words.ts';

/** What features store. Their `Tables` say what the columns mean. */
export const features = ({ id, byKey }: Words) => [
  `create table if not exists grants (
    user_id text not null,
    role text not null,
    source text not null,
    guild_id text not null,
    until bigint,
    state text not null,
    constraint grants_key primary key (user_id, role, source, guild_id)
  )`,

  `create table if not exists parties (
    period text not null primary key,
    votes bigint not null,
    reached_at bigint,
    panel_channel text,
    panel_goal bigint,
    panel_credits bigint,
    panel_ends_at bigint,
    panel_due_at bigint,
    panel_updated_at bigint default 0 not null,
    panel_message text,
    panel_message_channel text
  )`,
  `create table if not exists party_voters (
    period text not null,
    user_id text not null,
    state text not null,
    constraint party_voters_key primary key (period, user_id)
  )`,
  // Whom a goal that is reached pays, page by page.
  `create index if not exists party_voters_unpaid on party_voters (period, user_id) where state = 'eligible'`,

  `create table if not exists reminder_stops (
    user_id text not null primary key,
    reason text not null,
    at bigint not null,
    told integer not null
  )`,
  `create table if not exists next_votes (
    user_id text not null,
    listing text not null,
    voted_at bigint not null,
    next_at bigint not null,
    constraint next_votes_key primary key (user_id, listing)
  ) ${byKey}`,

  // An item, its name and its price as they were when it was bought: settings change.
  `create table if not exists purchases (
    id ${id},
    confirmation_id text not null,
    user_id text not null,
    guild_id text not null,
    owner_channel_id text,
    item text not null,
    name text not null,
    price bigint not null,
    state text not null,
    balance bigint not null,
    role text,
    until bigint,
    code text,
    at bigint not null,
    settled_at bigint,
    community_id bigint not null
  )`,
  // Two clicks on the same button buy once.
  'create unique index if not exists purchases_confirmation on purchases (confirmation_id)',
  // A code is issued once in its community.
  `create unique index if not exists purchases_code on purchases (community_id, code) where code is not null`,
  'create index if not exists purchases_of_user on purchases (user_id, at, id)',
  // How many of an item are left.
  `create index if not exists purchases_sold on purchases (community_id, item) where state <> 'refunded'`,

  `create table if not exists vote_panels (
    guild_id text not null primary key,
    channel_id text not null,
    message_id text,
    replaced_channel text,
    replaced_message text,
    shown text,
    planned_at bigint,
    updated_at bigint default 0 not null
  ) ${byKey}`,

  `create table if not exists confirmations (
    vote text not null primary key,
    user_id text,
    listing text,
    waiting text
  ) ${byKey}`,
  `create table if not exists rate_alarms (
    listing text not null primary key,
    hour bigint not null,
    votes bigint not null,
    usual bigint not null,
    hours bigint not null,
    state text,
    held_at bigint,
    expected_until bigint,
    rejected_until bigint
  ) ${byKey}`,

  `create table if not exists linked_members (
    user_id text not null primary key,
    access_token text not null,
    refresh_token text not null,
    expires_at bigint not null,
    locale text not null,
    linked_at bigint not null,
    pushed text,
    requested_at bigint,
    refreshing_until bigint
  ) ${byKey}`,
  `create table if not exists topgg_connections (
    connection_id text not null primary key,
    listing text not null,
    user_id text not null,
    kind text not null,
    target_id text not null,
    guild_id text,
    sealed text,
    at bigint not null
  ) ${byKey}`,
  `create table if not exists listing_beginnings (
    listing text not null primary key,
    target text not null,
    since bigint not null
  ) ${byKey}`,
  `create table if not exists member_languages (user_id text not null primary key, locale text not null) ${byKey}`,
];
