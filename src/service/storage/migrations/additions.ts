/* The migrations after the first tables, whose statements are the same in SQLite and PostgreSQL. */

/** Indexes by which the dispatcher finds due deliveries, however many are stored or wait for one webhook. */
export const deliveryQueues = [
  `create index deliveries_by_webhook on deliveries (listing_id, family, next_attempt_at) where state = 'waiting'`,
  'create index deliveries_leased on deliveries (leased_until) where leased_until is not null',
];

/**
 * What owners and members manage themselves: the state and the icon of a listing, the use of its keys, replies to its
 * reviews, the counts of its days, and members who deleted their data.
 */
export const owners = [
  `alter table listings add column state text default 'published' not null`,
  'alter table listings add column state_reason text',
  'alter table listings add column icon_version text',
  'create index listings_by_owner on listings (owner_id)',
  `create index listings_not_published on listings (state) where state != 'published'`,
  'alter table webhooks add column paused_by text',
  `create table listing_icons (
    listing_id text primary key, version text not null, type text not null, data_base64 text not null
  )`,
  'create table key_usage (key_id bigint primary key, last_used_at bigint not null)',
  `create table review_replies (
    review_id bigint primary key, listing_id text not null, reply text not null, replied_at bigint not null
  )`,
  'create index review_replies_by_listing on review_replies (listing_id)',
  `create table listing_days (
    listing_id text not null, day bigint not null, votes bigint not null, deliveries bigint not null,
    constraint listing_days_key primary key (listing_id, day)
  )`,
  `create index deliveries_failed on deliveries (listing_id, created_at, id) where state = 'failed'`,
  'create table member_deletions (user_id text primary key, requested_at bigint not null)',
];

/** Reports of members, bans, and the log of what operators did. */
export const moderation = [
  `create table reports (
    id text primary key, kind text not null, listing_id text not null, review_user_id text not null,
    reporter_id text not null, reason text not null, text text not null, reported_text text not null,
    state text not null, created_at bigint not null, closed_at bigint
  )`,
  `create unique index reports_open on reports (listing_id, kind, review_user_id, reporter_id) where state = 'open'`,
  'create index reports_by_reporter on reports (reporter_id, created_at)',
  'create table bans (user_id text primary key, reason text not null, banned_at bigint not null)',
  `create table moderation_log (
    id text primary key, at bigint not null, operator_id text not null, action text not null, listing_id text,
    user_id text, reason text not null
  )`,
  'create index moderation_log_by_listing on moderation_log (listing_id, at)',
  'create index moderation_log_by_time on moderation_log (at, id)',
];

/** How often members and addresses did something in a window of time, and the challenges that were used. */
export const abuseLimits = [
  `create table action_counts (
    subject text not null, window_start bigint not null, actions bigint not null, expires_at bigint not null,
    constraint action_counts_key primary key (subject, window_start)
  )`,
  'create index action_counts_by_expiry on action_counts (expires_at)',
  'create table used_challenges (id text primary key, expires_at bigint not null)',
  'create index used_challenges_by_expiry on used_challenges (expires_at)',
];

/**
 * The servers that members manage, as Discord said when they proved it, and a random value per member that every
 * session of the member contains: changing it ends all of them.
 */
export const discordSignIn = [
  `create table proven_guilds (
    user_id text not null, guild_id text not null, name text not null, icon_url text, is_owner integer not null,
    members integer, online integer, expires_at bigint not null,
    constraint proven_guilds_pkey primary key (user_id, guild_id)
  )`,
  'create index proven_guilds_by_expiry on proven_guilds (expires_at)',
  'alter table members add column session_epoch text',
];

/**
 * The processes that count requests in a limit file, and the ids of their files. An older version would count apart from
 * them.
 */
export const limitHolders = ['create table limit_holders (holder text primary key, file_id text not null)'];

/**
 * Who leases a delivery, so that a process whose lease has ended cannot settle what another process sends meanwhile; and
 * an index of finished deliveries, by which old ones are deleted without reading all.
 */
export const deliveryLeases = [
  'alter table deliveries add column lease_id text',
  `create index deliveries_finished on deliveries (created_at) where state != 'waiting'`,
];

/** What bots have asked owners of listings for, until it is decided and fetched: ten minutes at most. */
export const connectRequests = [
  `create table connect_requests (
    id text primary key, user_id text not null, request_json text not null, code_hash text, expires_at bigint not null
  )`,
  'create unique index connect_requests_by_code on connect_requests (code_hash)',
];

/** Sessions that members have ended before they expire. */
export const revokedSessions = ['create table revoked_sessions (id text primary key, expires_at bigint not null)'];

/**
 * How members come from a listing to its server or bot, and what lists are filtered and sorted by. A server was in one
 * category, of any name, which the lookup API still returns.
 */
export const joining = [
  'alter table listings add column invite text',
  `alter table listings add column categories_json text default '[]' not null`,
  'alter table listings add column growth integer default 0 not null',
  ...['Community', 'Gaming', 'Anime', 'Music', 'Art', 'Technology', 'Education', 'Language', 'Sports'].map(
    (name) => `update listings set categories_json = '["${name}"]'
      where kind = 'server' and facts_json like '%"category":"${name}"%'`,
  ),
  `create index listings_published on listings (kind, id, categories_json) where state = 'published'`,
];
