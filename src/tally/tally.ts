import type { Family } from '../ledger/event.ts';
import type { LedgerWrites } from '../ledger/ledger.ts';
import type { Passbook } from '../ledger/passbook.ts';
import type { Terms } from '../ledger/rules.ts';
import type { OutboxWrites } from '../outbox/outbox.ts';

/** What became of a delivery, as the sender and the owner read it. */
export const outcomes = ['recorded', 'duplicate', 'test', 'quarantined'] as const;
export type Outcome = (typeof outcomes)[number];

/** A configured listing, as far as an event of it is concerned. */
export interface TalliedListing {
  readonly name: string;
  readonly kind: 'server' | 'bot';
  readonly terms: Terms;
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
  readonly body: string;
}

/** One row of the delivery log. */
export interface LoggedDelivery extends Delivery {
  readonly listing: string | null;
  /** The kind of event, in the payload's own words where they were not understood. */
  readonly kind: string | null;
  readonly outcome: Outcome;
  readonly reason: string | null;
  readonly userId: string | null;
  /** What it paid (credits). */
  readonly credits: number;
  /** The event's identity; only a recorded one has it. */
  readonly eventKey: string | null;
}

/** A premium order, as its events have left it. */
export interface Order {
  readonly orderIds: readonly string[];
  readonly listing: string;
  readonly userId: string | null;
  readonly tier: string | null;
  readonly state: 'active' | 'expired' | 'revoked';
  readonly periodEnd: number | null;
}

/** All that may happen together: everything in one transaction, all or nothing. */
export interface Tally extends LedgerWrites, OutboxWrites {
  /** Logs a delivery and returns its id, or null when a delivery with that event key is there already. */
  log(delivery: LoggedDelivery): Promise<number | null>;
  /** Rewrites the row of a quarantined delivery; false when it is quarantined no more, or its event is recorded already. */
  relog(id: number, delivery: LoggedDelivery): Promise<boolean>;
  /** Whether a vote without a timestamp was recorded between these times (ms since the epoch; neither counts). */
  hasUntimedVoteBetween(passbook: Passbook, listing: string, after: number, before: number): Promise<boolean>;
  /** Whether an event is recorded under any of these keys. */
  hasEvent(eventKeys: readonly string[]): Promise<boolean>;
  /** The order that any of these ids names, with all its names; null when none is known. Where they name several, those are one. */
  findOrder(orderIds: readonly string[]): Promise<Order | null>;
  /** Keeps the order under the first of its names; whatever was kept under another one is part of it now. */
  saveOrder(order: Order, at: number): Promise<void>;
}

/** What became of a delivery. */
export interface Recorded {
  readonly outcome: Outcome;
  readonly deliveryId: number;
  readonly credits: number;
  readonly reason: string | null;
}

/** How a delivery is filed: when it arrives, or once more, long after it was quarantined. */
export interface Filing {
  /** Now (ms since the epoch): what is still to be done is as old as this, however old the delivery. */
  readonly at: number;
  /** Gives the delivery its row: a new one, or the one in which it was quarantined. Null says that its event is recorded already. */
  readonly log: (delivery: LoggedDelivery) => Promise<number | null>;
}
