import type { AccountState } from '../ledger/account.ts';
import type { Cause } from '../ledger/entry.ts';
import type { Family } from '../ledger/event.ts';
import type { LedgerWrites } from '../ledger/ledger.ts';
import type { RewardRules } from '../ledger/reward-rules.ts';
import type { OutboxWrites } from '../outbox/outbox.ts';

/** What became of a delivery, as the sender and the owner read it. */
export const outcomes = ['recorded', 'duplicate', 'test', 'quarantined'] as const;
export type Outcome = (typeof outcomes)[number];

/** A configured listing, as far as an event of it is concerned. */
export interface ListingContext {
  readonly name: string;
  readonly kind: 'server' | 'bot';
  readonly rules: RewardRules;
  /** Where votes are announced; null for nowhere. */
  readonly announceChannelId: string | null;
  /** Where premium is announced; null for nowhere. */
  readonly premiumChannelId: string | null;
}

/** A delivery that is genuine and comes in a body that could be read as JSON. */
export interface Delivery {
  /** When it arrived (ms since the epoch). */
  readonly receivedAt: number;
  readonly family: Family;
  /** Its text: as it came or, where only that is what was signed, serialised anew (document, section 5.7). */
  readonly body: string;
}

/** One row of the delivery log. */
export interface DeliveryRow extends Delivery {
  /** The listing's name; null where none can be told. */
  readonly listing: string | null;
  /** The kind of event, in the payload's own words where they were not understood. */
  readonly kind: string | null;
  readonly outcome: Outcome;
  /** Why it paid nothing or less, or was not understood; null when there is nothing to explain. */
  readonly reason: string | null;
  readonly userId: string | null;
  /** What it paid (credits). */
  readonly credits: number;
  /** The event's identity; only a recorded one has it. */
  readonly eventKey: string | null;
}

/** A premium order, as its events have left it. */
export interface Order {
  /** All its names; the first is the one that it is kept under. */
  readonly orderIds: readonly string[];
  readonly listing: string;
  /** Who holds it; null while no event has named anybody. An active one without a holder is a gift whose recipient nobody has named. */
  readonly userId: string | null;
  readonly tier: string | null;
  readonly state: 'active' | 'expired' | 'revoked';
  /** When the paid period ends (ms since the epoch); null while no event has said. */
  readonly periodEnd: number | null;
}

/** All that may happen together: everything in one transaction, all or nothing. */
export interface Tally extends LedgerWrites, OutboxWrites {
  /** Logs a delivery and returns its id, or null when a delivery with that event key is there already. */
  insertDelivery(delivery: DeliveryRow): Promise<number | null>;
  /** Rewrites the row of a quarantined delivery; false when it is quarantined no more, or its event is recorded already. */
  updateDelivery(id: number, delivery: DeliveryRow): Promise<boolean>;
  /** Whether a vote without a timestamp was recorded for one of these causes between these times (ms since the epoch, both exclusive). */
  hasUntimedVoteBetween(
    passbook: AccountState,
    listing: string,
    after: number,
    before: number,
    causes: readonly Cause[],
  ): Promise<boolean>;
  /** Whether an event is recorded under any of these keys. */
  hasEvent(eventKeys: readonly string[]): Promise<boolean>;
  /** The order that any of these ids names, with all its names; null when none is known. Where they name several, those are one. */
  findOrder(orderIds: readonly string[]): Promise<Order | null>;
  /**
   * Keeps the order under the first of its names; whatever was kept under another one is part of it now. `at` is when
   * it was told (ms since the epoch).
   */
  saveOrder(order: Order, at: number): Promise<void>;
}

/** What became of a delivery. */
export interface RecordedDelivery {
  readonly outcome: Outcome;
  /** Its row in the delivery log; 0 where another replay of it was quicker. */
  readonly deliveryId: number;
  /** What it paid (credits). */
  readonly credits: number;
  readonly reason: string | null;
}

/** How a delivery is filed: when it arrives, or once more, long after it was quarantined. */
export interface DeliveryRowWriter {
  /** Now (ms since the epoch): what is still to be done is as old as this, however old the delivery. */
  readonly at: number;
  /** Gives the delivery its row: a new one, or the one in which it was quarantined. Null says that its event is recorded already. */
  readonly write: (delivery: DeliveryRow) => Promise<number | null>;
}
