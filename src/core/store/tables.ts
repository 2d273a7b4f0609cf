import type { ColumnType, Generated } from 'kysely';
import type { Family } from '../../webhook/event.ts';
import type { KnownOutcome } from '../../webhook/response.ts';
import type { AccountId, CommunityId } from '../ledger/account.ts';
import type { Cause } from '../ledger/entry.ts';
import type { EffectState } from '../outbox/effect-kind.ts';
import type { GrantState } from '../rewards/reward.ts';
import type { Marks } from '../tally/account-state.ts';

/*
 * Rows of these tables are only added, apart from effects, so they are counted once, by a task in the background, and
 * the newest ones each time. A vote pays nothing for it.
 */

export const countedTables = ['deliveries', 'entries', 'effects'] as const;
export type CountedTable = (typeof countedTables)[number];

/**
 * `<table> below`: rows with lower ids are counted. `effects` also counts the effects that were pruned, but not those
 * that were deleted with the data of a member. `members`: accounts with an entry.
 */
export type CounterName = `${CountedTable} below` | 'deliveries' | 'effects' | 'credits' | 'votes' | 'members';

/** The stored `delivery_id` of an effect without a delivery. */
export const noDelivery = 0;

/** All columns. */
export const deliveryColumns = [
  ...['id', 'received_at', 'family', 'listing', 'kind', 'outcome', 'reason', 'user_id', 'credits', 'body'],
  ...['original_id', 'origin'],
] as const satisfies readonly (keyof Tables['deliveries'])[];

/** All columns. */
export const entryColumns = [
  ...['id', 'account_id', 'listing', 'credits', 'cause', 'reason', 'at', 'delivery_id', 'previous', 'number'],
  ...['untimed', 'achievement'],
] as const satisfies readonly (keyof Tables['entries'])[];

/** The tables of both databases. Times are ms since the epoch, credits are whole numbers. */
export interface Tables extends SettingsTables {
  deliveries: {
    id: Generated<number>;
    received_at: number;
    family: Family;
    listing: string | null;
    kind: string | null;
    outcome: KnownOutcome;
    reason: string | null;
    user_id: string | null;
    credits: number;
    /** Empty once it was pruned, and in a duplicate, which has that of its original. */
    body: string;
    /** The delivery that a duplicate repeats; null if it is none, or repeats a vote of a member who was forgotten. */
    original_id: Generated<number | null>;
    /**
     * JSON, of a quarantined delivery, also after its replay: the {@link ListingIdentity} of each listing whose secret
     * has authenticated it. Null for all others.
     */
    origin: Generated<string | null>;
  };
  /** The idempotency key of each recorded event (16 bytes). Never deleted. */
  event_keys: { key: Uint8Array; delivery_id: number };
  /**
   * The last vote of a forgotten member for each listing (16 bytes, a digest of both ids), so that a repeat without a
   * timestamp, or the late delivery of a claimed vote, is recognised. Deleted after `expires_at`.
   */
  forgotten_votes: { key: Uint8Array; at: number; expires_at: number };
  /** Each community that has a listing, or has had one. */
  communities: {
    id: Generated<CommunityId>;
    /** Null as long as it is not known. */
    guild_id: string | null;
    /** 1 for the community of listings without a guild, which always exists. */
    is_default: Generated<number>;
  };
  entries: {
    id: Generated<number>;
    account_id: AccountId;
    listing: string | null;
    credits: number;
    cause: Cause;
    reason: string | null;
    at: number;
    delivery_id: number | null;
    /** The user's previous entry; null for the first. */
    previous: number | null;
    /** The position in its user's history, counted from 1. */
    number: Generated<number>;
    /** 1 for a vote without a timestamp. */
    untimed: Generated<number>;
    /** Unique per user; null for entries that are not an achievement. */
    achievement: string | null;
  };
  balances: {
    account_id: AccountId;
    credits: number;
    votes: number;
    /** The account's newest entry. */
    last_entry: number | null;
    /** JSON: the time of the last counted vote, by listing. */
    last_votes: string;
    /** The number of the user's newest entry. */
    entries: Generated<number>;
    /** JSON: the history of votes; null before the first one. */
    history: string | null;
    /** JSON: the roles last seen; null for none. */
    roles: string | null;
    /** The newest week and month with a score: first day (day number), counted votes, credits earned. */
    week_start: Generated<number>;
    week_votes: Generated<number>;
    week_credits: Generated<number>;
    month_start: Generated<number>;
    month_votes: Generated<number>;
    month_credits: Generated<number>;
    /** The streak after the latest vote, and the day that ends it (day number). */
    streak_days: Generated<number>;
    streak_last_day: Generated<number>;
  } & { [Name in keyof Marks]: Generated<number> };
  /** The roles that members are to have, by source. Those that have ended are deleted once Discord has removed them. */
  grants: {
    user_id: string;
    role: string;
    source: string;
    guild_id: string;
    /** Null if it does not end. */
    until: number | null;
    state: GrantState;
  };
  /** Members with linked roles. The tokens are encrypted. */
  linked_members: {
    user_id: string;
    access_token: string;
    refresh_token: string;
    /** When the access token expires. */
    expires_at: number;
    /** Discord's code of the member's language. */
    locale: string;
    linked_at: number;
    /** JSON: the values that Discord has; null before the first update. */
    pushed: string | null;
    /** When an update was enqueued that no vote asked for; null if the last one has succeeded. */
    requested_at: number | null;
    /** Until when a process is requesting new tokens; null if none is. */
    refreshing_until: number | null;
  };
  /** The connections that top.gg has made. The secrets of those that are held are encrypted. */
  topgg_connections: {
    connection_id: string;
    listing: string;
    user_id: string;
    kind: 'server' | 'bot';
    target_id: string;
    /** Null while it is held. */
    guild_id: string | null;
    sealed: string | null;
    /** When it was connected (ms since the epoch). */
    at: number;
  };
  /** The languages of members who may get direct messages, as Discord's codes. */
  member_languages: { user_id: string; locale: string };
  /** Times in which receiving was down. */
  outages: { from_at: number; until_at: number };
  /** A single row: when receiving was last known to work. */
  heartbeats: { id: number; at: number };
  orders: {
    community_id: CommunityId;
    id: string;
    listing: string;
    user_id: string | null;
    tier: string | null;
    state: 'active' | 'expired' | 'revoked';
    period_end: number | null;
    /** See `order-times-column.ts`. */
    times: string;
    updated_at: number;
  };
  /** All ids by which an order may be named, including the order's own. */
  order_names: { community_id: CommunityId; name: string; order_id: string };
  effects: {
    id: Generated<number>;
    /** {@link noDelivery} without one. */
    delivery_id: number;
    /** The name of an `EffectKind`, perhaps of another version. */
    kind: string;
    /** See `queue.ts`. */
    queue: string;
    /** JSON: an announcement as an array, other contents as objects. */
    content: string;
    state: EffectState;
    attempts: number;
    /** When it is due, or when its lease ends. */
    due_at: number;
    created_at: number;
    finished_at: number | null;
    /** The nonce of its message; set by the first attempt. */
    nonce: string | null;
    reason: string | null;
    /** Start of the first attempt whose result is unknown. */
    unsure_since: number | null;
    /** W3C `traceparent` of the span of its delivery; null without tracing. */
    traceparent: string | null;
  };
  /** Effects that are not due yet. They are moved to `effects` then. */
  planned_effects: {
    /** See `PlanKey`. */
    key: string;
    /** The member whom it concerns alone. */
    user_id: string | null;
    delivery_id: number | null;
    kind: string;
    /** See `queue.ts`. */
    queue: string;
    content: string;
    due_at: number;
    /** When it was planned: a time that is ahead was written by a clock that was. */
    planned_at: number;
  };
  /** Until when something was announced, by its name: a time, or a day number. */
  announcement_progress: { key: string; until_at: number };
  /** Reports to the owner, so that each is made once. */
  reports: { key: string; at: number };
  /** Corrections by idempotency key, each with the resulting balance. */
  corrections: {
    /** Two communities may use the same key. */
    community_id: CommunityId;
    idempotency_key: string;
    account_id: AccountId;
    credits: number;
    reason: string;
    balance: number;
    at: number;
    /** See {@link Correction}; null for one of a program. */
    author: ColumnType<string | null, string | null | undefined>;
  };
  /** Imports from other programs. */
  imports: {
    id: Generated<number>;
    name: string;
    /** Whose accounts were credited. */
    community_id: CommunityId;
    state: 'importing' | 'done' | 'undoing' | 'undone';
    started_at: number;
    finished_at: number | null;
    credits: number;
    votes: number;
    entries: number;
    /** Credits that an undo could not take. */
    spent: number;
  };
  /** The items that each import credited, by account, so that each is credited once. Deleted when it is undone. */
  imported_items: { import_id: number; account_id: AccountId; item: string; entry_id: number; credits: number };
  /** The number of slots that a group of processes shares. */
  lease_groups: { name: string; size: number };
  /** The processes of each group, and how often each has renewed its membership. */
  lease_holders: { id: string; group_name: string; beat: number };
  /** Which process holds which slot. */
  leases: { group_name: string; size: number; slot: number; holder: string };
  /** Requests that Discord rejected: all with 401, 403 or 429 (`''`), and those of each guild, by minute since the epoch. */
  rejected_requests: { guild_id: string; minute: number; count: number };
  /** The channels and roles that Discord rejects. See `OpenCircuit`. */
  open_circuits: {
    /** The id of the channel, or the queue of the role. */
    target: string;
    guild_id: string | null;
    code: number;
    reason: string;
    opened_at: number;
    probe_at: number;
  };
  /** The notes of the programs that use the database. */
  installation: { key: string; value: string };
  /** Rows to lock, by the name of what they protect. */
  locks: { name: string };
  /** Console sessions that were signed out before they expired. */
  revoked_sessions: { id: string; expires_at: number };
  /** When each request to the lookup API was sent, for the budget. */
  lookup_requests: { key_id: string; at: number };
  /** The registered slash commands by Discord's id; `guild_id` is null for a global command. */
  registered_commands: {
    id: string;
    application_id: string;
    guild_id: string | null;
    name: string;
    /** JSON; null if an earlier installation has registered the command. */
    definition: string | null;
  };
  counters: { name: CounterName; value: number };
  /** Counted votes of the entries that are counted, by listing (empty for none) and time in units of `slotMs`. */
  vote_counts: { listing: string; slot: number; votes: number };
  /** How far each table is pruned: the id up to which it was, and until when a process prunes it. */
  pruning: { name: 'bodies' | 'effects'; position: number; leased_until: number };
  /** The kinds of handlers that some process has, and when one last said so. */
  handler_subscriptions: { kind: string; renewed_at: number };
  /** A single row, written by the readiness check. */
  probes: { id: number; at: number };
}

/** The tables of what `/setup` stores. Times are ms since the epoch. */
interface SettingsTables {
  /**
   * Values that `/setup` stored, by the path in a listing of the configuration file; `listing` is empty for the
   * community.
   */
  setting_values: {
    guild_id: string;
    listing: string;
    path: string;
    /** JSON; of a secret, how many it is. */
    value: string;
    /** The encrypted secret; null for a value that is not secret. */
    sealed: string | null;
  };
  /** Every change of settings. The id is the version that it led to. */
  setting_changes: {
    id: number;
    guild_id: string;
    at: number;
    author_id: string;
    interaction_id: string;
    /** The change that it takes back. */
    undoes: number | null;
  };
  /** The values that a change replaced, and the new ones; null if there was none, or is none any more. */
  changed_settings: {
    guild_id: string;
    change_id: number;
    position: number;
    listing: string;
    path: string;
    before_value: string | null;
    before_sealed: string | null;
    after_value: string | null;
    after_sealed: string | null;
  };
  /** The guilds that have changed settings. */
  guilds: {
    guild_id: string;
    /** The version of the newest change, of any kind, that every process has to apply. */
    version: number;
    /** When the bot was first found to be missing; null while it is there. */
    missing_since: Generated<number | null>;
    /** When and by whom (a user id, or `tallyhook`) the community was parked; null while it is in use. */
    parked_at: Generated<number | null>;
    parked_by: Generated<string | null>;
    /** Notices of the deletion that were sent. */
    notices: Generated<number>;
  };
  /** A single row: the newest version of all settings, and the id of the key with which secrets are encrypted. */
  settings_state: { id: number; version: number; key_id: string | null };
}
