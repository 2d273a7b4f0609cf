import type { Event, Family, KnownEventKind, Premium, Vote } from '../../webhook/event.ts';
import type { KnownOutcome, Outcome } from '../../webhook/response.ts';
import type { AddedValue } from '../added-value.ts';
import type { AccountId, CommunityId } from '../ledger/account.ts';
import type { Correction } from '../ledger/correction.ts';
import type { Cause, Entry } from '../ledger/entry.ts';
import type { Audience } from '../outbox/audience.ts';
import type { OutboxWrites } from '../outbox/outbox.ts';
import type { Outage } from '../rewards/calendar.ts';
import type { Reached } from '../rewards/decide-vote.ts';
import type { RewardEntry, StoredGrant } from '../rewards/reward.ts';
import type { HotKey, HotTable } from '../store/recording/hot-table.ts';
import type { AccountState, Marks } from './account-state.ts';
import type { EventKey } from './idempotency-key.ts';
import type { ListingContext, ListingIdentity } from './listing-context.ts';
import type { Order } from './order.ts';

/** An authenticated delivery whose body is JSON. */
export interface Delivery {
  /** Time of receipt (ms since the epoch). */
  readonly receivedAt: number;
  readonly family: Family;
  /** The body as it was signed: as received, or serialised again (document, section 5.7). */
  readonly body: string;
  /** W3C `traceparent` of its span, to which those of its effects link; missing without tracing. */
  readonly traceparent?: string;
  /** True if it is replayed because the time of its event is reached, and not because somebody has released it. */
  readonly isDue?: true;
  /** True if it is replayed because Discord says that its voter is a member of the guild. */
  readonly isMember?: true;
}

/** A test from the service's dashboard. Only its kind is reliable. */
export interface TestEvent {
  readonly kind: KnownEventKind;
  readonly userId: string | null;
}

/** The parsed payload of a delivery with its listing. Plain data, so it can be queued and sent to another thread. */
export type RoutedDelivery =
  | { readonly type: 'event'; readonly event: Event; readonly listing: ListingContext }
  | { readonly type: 'test'; readonly test: TestEvent; readonly listing: ListingContext }
  /**
   * An event of an order that does not say for which of these listings it is. The stored order decides; if it is of none of
   * them, the event is for the listing with the name of `fallback`, or quarantined if that is null.
   */
  | {
      readonly type: 'order';
      readonly event: Premium;
      readonly listings: readonly ListingContext[];
      readonly fallback: string | null;
    }
  /** Another event of a listing site, as the site names it. */
  | { readonly type: 'ignored'; readonly kind: string; readonly listing: string }
  /** Authentic, but not processable. The listing is null if several are possible. */
  | {
      readonly type: 'quarantine';
      readonly kind: string | null;
      readonly reason: string;
      readonly listing: string | null;
      /** The listings whose secret has authenticated it: later, it may be recorded for one of them, and for no other. */
      readonly origin: readonly ListingIdentity[];
      /** The member whom it is known to concern; null by default. */
      readonly userId?: string | null;
      /** When it is replayed, because only its time was in the future (ms since the epoch). */
      readonly dueAt?: number;
      /** The delivery is a repeat if this vote is known. */
      readonly unless?: { readonly vote: Vote; readonly listing: ListingContext };
    };

/** The result of recording a delivery. @category Events */
export interface RecordedDelivery {
  readonly outcome: Outcome;
  /** ID in the delivery log; 0 if another replay of the same delivery was faster. */
  readonly deliveryId: number;
  /** Credits paid. */
  readonly credits: number;
  readonly reason: string | null;
  /** True if an announcement of it was stored, which is sent next. */
  readonly isAnnounced: boolean;
  /** The cause of each entry that was written. */
  readonly causes: readonly Cause[];
}

/** The result of a replay if another replay has already taken the delivery out of the quarantine. */
export const alreadyReplayed: RecordedDelivery = {
  outcome: 'duplicate',
  deliveryId: 0,
  credits: 0,
  reason: null,
  isAnnounced: false,
  causes: [],
};

/** One row of the delivery log. */
export interface DeliveryRow extends Delivery {
  /** Name of the listing; null if it is unknown. */
  readonly listing: string | null;
  /** The kind of event; for an unprocessable delivery as the payload states it. */
  readonly kind: string | null;
  readonly outcome: KnownOutcome;
  /** Why the delivery paid nothing or less, or was quarantined; null if there is nothing to explain. */
  readonly reason: string | null;
  readonly userId: string | null;
  /** Credits paid. */
  readonly credits: number;
  /** The listings whose secret has authenticated a new delivery that may be replayed. */
  readonly origin?: readonly ListingIdentity[] | null;
  /** The delivery that a duplicate repeats, whose body it shares; it has none of its own. */
  readonly originalId?: number | null;
  /** The idempotency keys, each of which identifies the event: of one that is recorded, or refused for good. */
  readonly eventKeys: readonly EventKey[];
}

/** Writes the log row of a delivery: a new row on receipt, or the existing row of a quarantined delivery on replay. */
export interface DeliveryRowWriter {
  /** Creation time of the delivery's effects (ms since the epoch): the time of receipt, or of the replay. */
  readonly effectsCreatedAt: number;
  /** True if the delivery was quarantined and is released, so that no feature may hold its vote again. */
  readonly isReleased: boolean;
  /** The delivery that is replayed; null on receipt. */
  readonly replayedId: number | null;
  /** Returns the ID of the row; null if the event is already recorded or the delivery is no longer quarantined. */
  readonly writeRow: (row: DeliveryRow) => number | null;
}

/** A correction as it was stored under its idempotency key, with the balance after it (credits). */
export interface StoredCorrection extends Correction {
  readonly idempotencyKey: string;
  readonly balance: number;
}

/** A vote in a user's history, counted or not. */
export type PastVote = Pick<Entry, 'listing' | 'credits' | 'at' | 'cause' | 'reason' | 'untimed' | 'deliveryId'>;

/**
 * Reads and writes of one transaction: all or none of it is committed, and nothing that it reads changes before the
 * commit. Synchronous, so that the rules are the same for every database: the store has loaded what they read, or reads
 * it from a local file. A decision has no other side effects, because the store may repeat it with more data.
 */
export interface Tally extends OutboxWrites {
  /** The hooks of the features, in their order. */
  readonly hooks: readonly Hooks[];
  /** Random, and the same as long as the database exists. Never shown. */
  readonly secret: string;
  /** An account as of this transaction; an empty one if it has no entries. */
  accountState(accountId: AccountId): AccountState;
  /**
   * Appends the entry and returns the new account. One call writes both the entry and the account, so that they always
   * agree.
   */
  append(account: AccountState, entry: Entry): AccountState;
  /** Stores an account without a new entry. */
  saveAccount(account: AccountState): void;
  /**
   * All votes for a listing, or for any listing if it is null, between two times (ms since the epoch, both exclusive).
   */
  votesBetween(account: AccountState, listing: string | null, after: number, before: number): readonly PastVote[];
  /** The roles that were ever granted to a user and have not been removed since. */
  grantsOf(userId: string): readonly StoredGrant[];
  /** Stores the grant in place of that of the same user, role and source. */
  saveGrant(grant: StoredGrant): void;
  /** The row of a feature's table with this key, locked; its initial one if it was not written before. */
  rowOf<Row extends object>(table: HotTable<Row>, key: string): Row;
  /** Stores the row in place of that with the same key. */
  saveRow<Row extends object>(table: HotTable<Row>, row: Row): void;
  /** Times in which receiving was down, oldest first, of at least the last 160 days. */
  outages(): readonly Outage[];
  /** Logs a delivery and returns its ID; null if its event is already recorded. */
  insertDelivery(row: DeliveryRow): number | null;
  /**
   * Updates the row of a quarantined or refused delivery. Returns false if it is neither any more, or its event is already
   * recorded with another one.
   */
  updateDelivery(id: number, row: DeliveryRow): boolean;
  /** True if an event is recorded under the key. */
  hasEvent(key: EventKey): boolean;
  /** Records an event without a delivery under the key. */
  addEvent(key: EventKey): void;
  /** The delivery whose event is recorded under the key; null if there is none. */
  deliveryOf(key: EventKey): number | null;
  /**
   * The time of the vote under {@link forgottenVoteKey} (ms since the epoch); null if its member was not forgotten, or
   * long ago.
   */
  forgottenVoteAt(key: () => EventKey): number | null;
  /** The order of a community with any of these IDs; null if it has none. Several matching orders are merged into one. */
  findOrder(communityId: CommunityId, orderIds: readonly string[]): Order | null;
  /**
   * Stores the order under its first ID and replaces the orders stored under its other IDs. `at` is in ms since the
   * epoch.
   */
  saveOrder(order: Order, at: number): void;
  /** The correction of a community with this idempotency key; null if there is none. */
  findCorrection(communityId: CommunityId, idempotencyKey: string): StoredCorrection | null;
  saveCorrection(correction: StoredCorrection): void;
}

/**
 * The condition for a call of a hook: the event has a rule, a value of its listing or of the vote that is neither null,
 * false nor missing, or a mark of its member's account. So a plain vote calls no hook.
 */
export type HookCondition =
  | { readonly rule: AddedValue<unknown> }
  | { readonly listing: keyof ListingContext }
  | { readonly vote: 'nextVoteAt' }
  | { readonly mark: keyof Marks }
  | { readonly any: readonly HookCondition[] };

/** A feature's part in the transaction of an event: a condition and a synchronous call on the tally. */
export interface Hook<Event, Result = void> {
  readonly of: HookCondition;
  /** The row that it reads; PostgreSQL locks it before the accounts. `at`: the time of the event (ms since the epoch) */
  readonly reads?: (event: {
    readonly listing: ListingContext;
    readonly userId: string;
    readonly at: number;
  }) => HotKey | null;
  readonly call: (tally: Tally, event: Event) => Result;
}

/** A vote that may be paid, before it is recorded. */
export interface UnrecordedVote {
  readonly vote: Vote;
  readonly listing: ListingContext;
  readonly delivery: Delivery;
  readonly rowWriter: DeliveryRowWriter;
}

/** A claimed vote, before it is recorded. */
export interface UnrecordedClaim {
  readonly listing: ListingContext;
  readonly userId: string;
  /** The time of the vote (ms since the epoch). */
  readonly at: number;
  /** True if Discord says that the member is in the guild. */
  readonly isMember: boolean;
}

/** A correction that others hear of. */
export type HeardCorrection = Correction & { readonly audience: Audience };

/** The hooks of a feature. */
export interface Hooks {
  /** Called with each vote that is not known yet and may be paid. Returns what is recorded instead, or null. */
  readonly beforeVote?: Hook<UnrecordedVote, RecordedDelivery | null>;
  /** Called with each claimed vote that the ledger does not have. True refuses it. */
  readonly beforeClaim?: Hook<UnrecordedClaim, boolean>;
  /** Called with each counted vote, after its entries and before its roles are granted. */
  readonly onVote?: Hook<CountedVote>;
  /** Called with each counted vote, at the end. */
  readonly afterVote?: Hook<RecordedVote>;
  /** Called with each premium event with a holder, after its entries and before its roles are granted. */
  readonly onPremium?: Hook<{ readonly account: AccountState } & Recorded>;
  /** Called with each premium event, at the end. */
  readonly afterPremium?: Hook<RecordedPremium>;
  /** Called with each correction whose audience is known. `balance`: after it (credits) */
  readonly afterCorrection?: (tally: Tally, correction: HeardCorrection, balance: number) => void;
}

/** Fields that the events of one delivery or claim share. Times are ms since the epoch. */
export interface Recorded {
  readonly listing: ListingContext;
  readonly deliveryId: number | null;
  /** Time of the event. */
  readonly at: number;
  /** The current time. */
  readonly now: number;
}

/** A counted vote, delivered or claimed. */
export interface CountedVote extends Recorded {
  /** The account before the vote. */
  readonly account: AccountState;
  /** The calendar day of the vote (day number). */
  readonly day: number;
  /** When the member may vote again, if the delivery says so (ms since the epoch). */
  readonly nextVoteAt: number | null;
}

/** A counted vote with all that it earned. */
export interface RecordedVote extends Recorded {
  /** The vote's own entry first. */
  readonly entries: readonly RewardEntry[];
  /** The account with the entries. */
  readonly account: AccountState;
  /** The streak after it (days). */
  readonly streak: number;
  readonly reached: Reached;
  /** See {@link CountedVote.nextVoteAt}. */
  readonly nextVoteAt: number | null;
}

/** A premium event with all that it earned. */
export interface RecordedPremium extends Recorded {
  readonly event: Premium;
  /** Credits that it paid, and the balance after it; null without a holder, or if it never pays. */
  readonly credits: number;
  readonly balance: number | null;
}
