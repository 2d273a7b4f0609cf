import type { Words } from '../words.ts';

/** The ledger: entries are only added, and an account has all that the next entry depends on. */
export const accounts = ({ id, byKey }: Words) => [
  // No index: the entries of a member are found by following `previous` from `balances.last_entry`. An index of them
  // was more than a third of the cost of a vote.
  `create table if not exists entries (
    id ${id},
    user_id text not null,
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
  // row.
  `create table if not exists balances (
    user_id text not null primary key,
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
    guild_id text default '' not null,
    member_id text,
    role_connection integer default 0 not null
  ) ${byKey}`,
  // Without the accounts of the home community, whose ids are those of the members: most bots have no others, and a new
  // member pays nothing for these.
  `create index if not exists balances_by_guild on balances (guild_id, user_id) where guild_id <> ''`,
  'create index if not exists balances_by_member on balances (member_id) where member_id is not null',

  `create table if not exists corrections (
    guild_id text not null,
    idempotency_key text not null,
    user_id text not null,
    credits bigint not null,
    reason text not null,
    balance bigint not null,
    at bigint not null,
    author text,
    constraint corrections_key primary key (guild_id, idempotency_key)
  ) ${byKey}`,
  // Those that people have made, by time, and those of a member who is forgotten. Most are made by programs.
  'create index if not exists corrections_with_author on corrections (at) where author is not null',
  'create index if not exists corrections_author on corrections (author) where author is not null',

  `create table if not exists imports (
    id ${id},
    name text not null,
    guild_id text not null,
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
    user_id text not null,
    item text not null,
    entry_id bigint not null,
    credits bigint not null,
    constraint imported_items_key primary key (import_id, user_id, item)
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
