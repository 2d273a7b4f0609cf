import type { Generated } from 'kysely';
import type { Cause } from '../ledger/entry.ts';
import type { Family } from '../ledger/event.ts';
import type { EffectState } from '../outbox/effect.ts';
import type { Order, Outcome } from '../tally/tally.ts';

/** The tables, as both dialects hold them. Times are ms since the epoch, credits are whole numbers. */
export interface Tables {
  deliveries: {
    id: Generated<number>;
    received_at: number;
    family: Family;
    listing: string | null;
    kind: string | null;
    outcome: Outcome;
    reason: string | null;
    user_id: string | null;
    credits: number;
    /** Unique where it is set: the identity of a recorded event. */
    event_key: string | null;
    body: string;
  };
  entries: {
    id: Generated<number>;
    user_id: string;
    listing: string | null;
    credits: number;
    cause: Cause;
    reason: string | null;
    at: number;
    delivery_id: number | null;
    /** The user's entry before it; null for the first. */
    previous: number | null;
  };
  balances: {
    user_id: string;
    credits: number;
    votes: number;
    /** The user's newest entry. */
    last_entry: number | null;
    /** When the last vote that counts was cast, by listing, as JSON. */
    last_votes: string;
  };
  orders: {
    id: string;
    listing: string;
    user_id: string | null;
    tier: string | null;
    state: Order['state'];
    period_end: number | null;
    updated_at: number;
  };
  /** Every id by which an order may be named, the order's own among them. */
  order_names: { name: string; order_id: string };
  effects: {
    id: Generated<number>;
    delivery_id: number;
    kind: 'announcement';
    channel_id: string;
    /** The announcement as JSON. */
    content: string;
    state: EffectState;
    attempts: number;
    /** When it is due, or until when it is leased. */
    due_at: number;
    created_at: number;
    finished_at: number | null;
    /** The nonce of the message that it goes out in; set by the first attempt. */
    nonce: string | null;
    reason: string | null;
    /** When the first attempt began of which nobody knows whether it succeeded. */
    unsure_since: number | null;
  };
  /** The owner's corrections by the key that they were asked for under, each with the balance after it. */
  corrections: {
    idempotency_key: string;
    user_id: string;
    credits: number;
    reason: string;
    balance: number;
    at: number;
  };
  /** The console's sessions that were signed out, until they would have ended by themselves. */
  revoked_sessions: { id: string; expires_at: number };
  /** When each request left for the lookup API, for the budget. */
  lookup_requests: { key_id: string; at: number };
  /** The slash commands that we registered, by Discord's id; without a guild it is global. */
  registered_commands: { id: string; application_id: string; guild_id: string | null; name: string };
  /** Written to find out whether the store can be written. */
  probes: { id: number; at: number };
}
