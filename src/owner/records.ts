import type { Cause } from '../ledger/entry.ts';
import type { EffectState } from '../outbox/effect.ts';
import type { DeliveryRow, Outcome } from '../tally/tally.ts';

/** A stretch of a list, newest first: at most `limit`, older than the one with the id `before`. */
export interface Page {
  readonly limit: number;
  readonly before: number | null;
}

/** Which deliveries are asked for; what is left out or null does not matter. */
export interface DeliveryFilter {
  readonly outcome?: Outcome | null;
  readonly kind?: string | null;
  readonly listing?: string | null;
  /** Those of a user, and the quarantined ones whose body names that id. */
  readonly userId?: string | null;
  /** Received at or after it (ms since the epoch). */
  readonly since?: number | null;
  /** Received before it (ms since the epoch). */
  readonly until?: number | null;
}

/** A row of the delivery log. */
export interface DeliveryRecord extends DeliveryRow {
  readonly id: number;
}

/** A row of the outbox. */
export interface EffectRecord {
  readonly id: number;
  readonly kind: string;
  readonly state: EffectState;
  /** How often it was begun. */
  readonly attempts: number;
  /** Why the last attempt failed; null before the first, while one is under way, and once it is done. */
  readonly reason: string | null;
  readonly deliveryId: number;
  readonly channelId: string;
  /** When it was written, or let out of its grave (ms since the epoch). */
  readonly createdAt: number;
  /** When it is due, or until when it is under way (ms since the epoch). */
  readonly dueAt: number;
  /** When it was done or buried (ms since the epoch); null while it waits. */
  readonly finishedAt: number | null;
}

/** An entry as it stands in a user's history: later ones have higher ids. */
export interface EntryRecord {
  readonly id: number;
  readonly listing: string | null;
  readonly credits: number;
  readonly cause: Cause;
  readonly reason: string | null;
  /** ms since the epoch. */
  readonly at: number;
  readonly deliveryId: number | null;
}

/** How much of everything there is, over all listings. */
export interface Counts {
  readonly deliveries: Readonly<Record<Outcome, number>>;
  readonly effects: Readonly<Record<EffectState, number>>;
  /** Those who have a balance. */
  readonly users: number;
  /** The sum of all balances. */
  readonly credits: number;
  /** Votes that count. */
  readonly votes: number;
}

/** What the owner may look at. Rejects with the driver's own error when the database cannot be read. */
export interface Records {
  deliveries(asked: Page & DeliveryFilter): Promise<readonly DeliveryRecord[]>;
  delivery(id: number): Promise<DeliveryRecord | null>;
  /** The id of the delivery whose event is recorded under any of these keys. */
  recordedUnder(eventKeys: readonly string[]): Promise<number | null>;
  /** The id of the delivery of a user's last vote for a listing that counts, cast no later than `notAfter` (ms since the epoch). */
  lastVote(userId: string, listing: string, notAfter: number): Promise<number | null>;
  effects(asked: Page & { state: EffectState | null }): Promise<readonly EffectRecord[]>;
  effect(id: number): Promise<EffectRecord | null>;
  /** The effects of a delivery, oldest first. */
  effectsOf(deliveryId: number): Promise<readonly EffectRecord[]>;
  /** A user's entries, the last recorded first; `before` is the id of one. */
  entries(userId: string, limit: number, before?: number | null): Promise<readonly EntryRecord[]>;
  /** The entry that a delivery of a user left; null where it left none. */
  entryOf(delivery: { readonly id: number; readonly userId: string | null }): Promise<EntryRecord | null>;
  counts(): Promise<Counts>;
}

/** Reads a quarantined delivery again, with what is understood today. Rejects as {@link Recorder} does. */
export type ReplayResult = (
  delivery: DeliveryRecord,
) => Promise<{ readonly outcome: Outcome; readonly reason: string | null; readonly credits: number }>;
