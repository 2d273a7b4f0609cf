import type { Cause } from '../ledger/entry.ts';
import type { EffectState } from '../outbox/effect.ts';
import type { LoggedDelivery, Outcome } from '../tally/tally.ts';

/** A stretch of a list, newest first: at most `limit`, older than the one with the id `before`. */
export interface Page {
  readonly limit: number;
  readonly before: number | null;
}

export interface DeliveryRecord extends LoggedDelivery {
  readonly id: number;
}

export interface EffectRecord {
  readonly id: number;
  readonly kind: string;
  readonly state: EffectState;
  readonly attempts: number;
  readonly reason: string | null;
  readonly deliveryId: number;
}

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

export interface Counts {
  readonly deliveries: Readonly<Record<Outcome, number>>;
  readonly effects: Readonly<Record<EffectState, number>>;
  readonly users: number;
  readonly credits: number;
  readonly votes: number;
}

/** What the owner may look at. */
export interface Records {
  deliveries(page: Page & { outcome: Outcome | null }): Promise<readonly DeliveryRecord[]>;
  delivery(id: number): Promise<DeliveryRecord | null>;
  effects(page: Page & { state: EffectState | null }): Promise<readonly EffectRecord[]>;
  /** A user's newest entries, the cause of each included. */
  entries(userId: string, limit: number): Promise<readonly EntryRecord[]>;
  counts(): Promise<Counts>;
}

/** Reads a quarantined delivery again, with what is understood today. */
export type Replay = (
  delivery: DeliveryRecord,
) => Promise<{ readonly outcome: Outcome; readonly reason: string | null; readonly credits: number }>;
