import type { AccountId } from '../../ledger/account-id.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { NewEffect } from '../../outbox/outbox.ts';
import type { StoredGrant } from '../../rewards/grant.ts';
import type { AccountState } from '../../tally/account-state.ts';
import type { EventKey } from '../../tally/idempotency-key.ts';
import type { PartyState } from '../../tally/party-state.ts';
import type { Reminder } from '../../tally/reminder.ts';
import type { DeliveryRow, Order, StoredCorrection } from '../../tally/tally.ts';
import type { PartyVoterState } from '../tables.ts';

/** A row of the delivery log with its id: a new one, or the new content of a quarantined one. */
export interface DeliveryChange extends DeliveryRow {
  readonly id: number;
}

/** A new entry with its place in its user's history. */
export interface NewEntry extends Entry {
  readonly id: number;
  readonly previous: number | null;
  readonly number: number;
}

/** Everything that the decisions of one batch write, in the order of the decisions. */
export interface Changes {
  readonly newDeliveries: DeliveryChange[];
  readonly replayedDeliveries: DeliveryChange[];
  readonly events: { readonly key: EventKey; readonly deliveryId: number }[];
  readonly entries: NewEntry[];
  /** The changed accounts, after their last entry. */
  readonly accounts: Map<AccountId, AccountState>;
  readonly effects: NewEffect[];
  /** The changed grants, by user, role and source. */
  readonly grants: Map<string, StoredGrant>;
  /** The changed parties, by period. */
  readonly parties: Map<string, PartyState>;
  readonly partyVoters: {
    readonly period: string;
    readonly userId: string;
    readonly state: Exclude<PartyVoterState, 'paid'>;
  }[];
  /** The next reminders, by user and listing. */
  readonly reminders: Map<string, Reminder>;
  readonly orders: { readonly order: Order; readonly at: number }[];
  readonly corrections: StoredCorrection[];
}

/** Whether an effect is due later than now, so that it does not enter its queue yet. */
export function isPlanned({ createdAt, dueAt = createdAt }: NewEffect): boolean {
  return dueAt > createdAt;
}

export function noChanges(): Changes {
  return {
    newDeliveries: [],
    replayedDeliveries: [],
    events: [],
    entries: [],
    accounts: new Map(),
    effects: [],
    grants: new Map(),
    parties: new Map(),
    partyVoters: [],
    reminders: new Map(),
    orders: [],
    corrections: [],
  };
}
