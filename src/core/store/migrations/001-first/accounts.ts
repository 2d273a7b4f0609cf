import type { Words } from '../words.ts';

/** The ledger: entries are only added, and an account has all that the next entry depends on. */
export const accounts = ({ id, accountId, byKey }: Words) => [
  // A community is its row: its guild may become known later, and nothing else changes then.
  `create table if not exists communities (
    id ${id},
    guild_id text,
    is_default integer default 0 not null
  )`,
  'create unique index if not exists communities_guild on communities (guild_id) where guild_id is not null',
  // The community of listings without a guild. The only one, for most bots.
  `insert into communities (is_default) select 1 where not exists (select 1 from communities)`,

  // No index: the entries of a member are found by following `previous` from `balances.last_entry`. An index of them
  // was more than a third of the cost of a vote.
  `create table if not exists entries (
    id ${id},
    account_id ${accountId} not null,
    listing text,
    credits bigint not null,
    cause text not null,
    reason text,
    at bigint not null,
    delivery_id bigint,
    previous bigint,
    number bigint default 0 not null,
    untimed integer default 0 not null,
    achievement text
  )`,

  // The roles, scores and marks of features are here, and not in tables of their own, so that a vote reads a single
  // row. The accounts of a community are one range of the primary key, and those of a member are found by searching it
  // once for each community, so there is no other index, which a new member would pay for.
  `create table if not exists balances (
    account_id ${accountId} not null primary key,
    credits bigint not null,
    votes bigint not null,
    last_entry bigint,
    last_votes text default '{}' not null,
    entries bigint default 0 not null,
    history text,
    roles text,
    week_start integer default 0 not null,
    week_votes integer default 0 not null,
    week_credits bigint default 0 not null,
    month_start integer default 0 not null,
    month_votes integer default 0 not null,
    month_credits bigint default 0 not null,
    streak_days integer default 0 not null,
    streak_last_day integer default 0 not null,
    reminder integer default 0 not null,
    role_connection integer default 0 not null
  ) ${byKey}`,

  `create table if not exists corrections (
    community_id bigint not null,
    idempotency_key text not null,
    account_id ${accountId} not null,
    credits bigint not null,
    reason text not null,
    balance bigint not null,
    at bigint not null,
    author text,
    constraint corrections_key primary key (community_id, idempotency_key)
  ) ${byKey}`,
  // Those that people have made, by time, and those of a member who is forgotten. Most are made by programs.
  'create index if not exists corrections_with_author on corrections (at) where author is not null',
  'create index if not exists corrections_author on corrections (author) where author is not null',

  `create table if not exists imports (
    id ${id},
    name text not null,
    community_id bigint not null,
    state text not null,
    started_at bigint not null,
    finished_at bigint,
    credits bigint not null,
    votes bigint not null,
    entries bigint not null,
    spent bigint not null
  )`,
  `create table if not exists imported_items (
    import_id bigint not null,
    account_id ${accountId} not null,
    item text not null,
    entry_id bigint not null,
    credits bigint not null,
    constraint imported_items_key primary key (import_id, account_id, item)
  ) ${byKey}`,

  // Rows are counted once, in the background: summaries would otherwise count whole tables.
  'create table if not exists counters (name text not null primary key, value bigint not null)',
  `create table if not exists vote_counts (
    listing text not null,
    slot bigint not null,
    votes bigint not null,
    constraint vote_counts_key primary key (listing, slot)
  ) ${byKey}`,
  // The votes of a time at all listings, and the old counts that are added up.
  'create index if not exists vote_counts_by_slot on vote_counts (slot, listing)',
  `create table if not exists pruning (
    name text not null primary key,
    position bigint not null,
    leased_until bigint not null
  )`,
];
