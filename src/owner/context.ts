import type { LedgerReads } from '../ledger/ledger.ts';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { OwnerActions } from './owner-actions.ts';
import type { DeliveryRecord, Records, ReplayResult } from './records.ts';
import type { SessionRevocations } from './revocations.ts';

/** Whether a part of the whole is of use, and if not, why. */
export interface PartState {
  readonly ready: boolean;
  readonly reason?: string;
}

/** How it stands with a listing's key for the lookup API. */
export interface BudgetState {
  readonly listing: string;
  /** Requests that it has left just now; null when that cannot be read. */
  readonly left: number | null;
  /** Requests per minute and key (document, section 8). */
  readonly limit: number;
  /** The service does not accept it. */
  readonly keyRefused: boolean;
  /** The service answers what its document does not describe. */
  readonly wrongShape: boolean;
}

/** What the owner's API and console work with. */
export interface OwnerContext {
  readonly records: Records;
  readonly actions: OwnerActions;
  readonly sessions: SessionRevocations;
  readonly ledger: LedgerReads;
  readonly replay: ReplayResult;
  /** The keys that a delivery's event is recorded under, as far as its body tells them. */
  readonly eventKeysOf: (delivery: DeliveryRecord) => readonly string[];
  /** The configured listings by name, and the cooldown of each (ms). */
  readonly cooldowns: ReadonlyMap<string, number>;
  /** Asks each part by name how it is. */
  readonly health: () => Promise<Readonly<Record<string, PartState>>>;
  readonly budgets: () => Promise<readonly BudgetState[]>;
  /** An effect waits: look at once. */
  readonly nudge: () => void;
  readonly clock: Clock;
  readonly log: Log;
}
