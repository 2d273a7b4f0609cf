import type { PageRequest } from '@tallyhook/platform/web/pagination';
import type { KnownOutcome } from '../../webhook/response.ts';
import type { AccountId, CommunityId } from '../ledger/account.ts';
import type { Cause, ProgramKey } from '../ledger/entry.ts';
import type { EffectState } from '../outbox/effect-kind.ts';
import type { StoredGrant } from '../rewards/reward.ts';
import type { Marks } from '../tally/account-state.ts';
import type { ListingIdentity } from '../tally/listing-context.ts';
import type { DeliveryRow } from '../tally/tally.ts';

/** A filter for deliveries. A missing or null field matches all of them. */
export interface DeliveryFilter {
  readonly outcome?: KnownOutcome | null;
  readonly kind?: string | null;
  readonly listing?: string | null;
  /** Matches the deliveries of any of these listings; at least one. */
  readonly listings?: readonly string[] | null;
  /** Matches the deliveries of a user, and quarantined ones whose body contains that id. */
  readonly userId?: string | null;
  /** Received at or after this time (ms since the epoch). */
  readonly since?: number | null;
  /** Received before this time (ms since the epoch). */
  readonly until?: number | null;
}

/** A page of the matching deliveries, newest first. */
export interface DeliveryQuery extends PageRequest, DeliveryFilter {}

/**
 * A row of the delivery log. The body is empty if it was pruned; that of a duplicate is the body of the delivery that
 * it repeats.
 */
export interface DeliveryRecord extends Omit<DeliveryRow, 'eventKeys' | 'originalId' | 'origin'> {
  readonly id: number;
  /** The delivery that it repeats; null if it is not a duplicate, or repeats a vote of a member who was forgotten. */
  readonly originalId: number | null;
  /** The listings whose secret has authenticated it, if it was quarantined; null otherwise. */
  readonly origin: readonly ListingIdentity[] | null;
}

/** In place of the body of a delivery whose member was forgotten. */
export const forgottenBody = '{"forgotten":true}';

/** Checks whether the body was deleted because of its age. No body is received empty. */
export function isPruned({ body }: Pick<DeliveryRecord, 'body'>): boolean {
  return body === '';
}

/** Checks whether the delivery can be processed again: neither is its body deleted, nor its member forgotten. */
export function hasBody({ body }: Pick<DeliveryRecord, 'body'>): boolean {
  return body !== '' && body !== forgottenBody;
}

/** A row of the outbox. */
export interface EffectRecord {
  readonly id: number;
  readonly kind: string;
  readonly state: EffectState;
  /** Number of attempts started. */
  readonly attempts: number;
  /** The reason why the last attempt failed; null before the first, during an attempt, and when it is done. */
  readonly reason: string | null;
  /** The delivery that caused it; null without one. */
  readonly deliveryId: number | null;
  /** Names what is rate-limited together, such as a channel. */
  readonly queue: string;
  /** When it was created, or requeued (ms since the epoch). */
  readonly createdAt: number;
  /** When it is due, or when the lease of the current attempt ends (ms since the epoch). */
  readonly dueAt: number;
  /** When it was done or buried (ms since the epoch); null while it is waiting. */
  readonly finishedAt: number | null;
}

/** An effect of a delivery, with the role that it changes (Discord ID); null for none. */
export interface DeliveryEffect extends EffectRecord {
  readonly role: string | null;
}

/** A ledger entry of a user. Later entries have higher ids. @category Ledger */
export interface LedgerEntry extends ProgramKey {
  readonly id: number;
  readonly listing: string | null;
  readonly credits: number;
  readonly cause: Cause;
  readonly reason: string | null;
  /** ms since the epoch. */
  readonly at: number;
  readonly deliveryId: number | null;
}

/** Totals over all listings. */
export interface Counts {
  /** `ignored` only if there are any. */
  readonly deliveries: Readonly<Record<Exclude<KnownOutcome, 'ignored'>, number>> & { readonly ignored?: number };
  /** Effects by state; the done ones include those that were pruned. */
  readonly effects: Readonly<Record<EffectState, number>>;
  /** Users with an entry. */
  readonly users: number;
  /** The sum of all balances. */
  readonly credits: number;
  /** Votes, without those within a cooldown. */
  readonly votes: number;
}

/** The deliveries of a community with ids below `below`: how many they are does not change any more. */
export interface CountedRows {
  readonly below: number;
  readonly rows: number;
}

/** One community, to which records belong by its listings (former ones included) and by where its effects go. */
export interface RecordScope {
  readonly communityId: CommunityId;
  readonly guildId: string;
  readonly listings: readonly string[];
}

/** Counts of records that need somebody's attention. */
export interface OpenProblems {
  readonly quarantined: number;
  readonly buried: number;
  readonly waiting: number;
}

/** The owner's reads. They reject with the driver's error if the database cannot be read. */
export interface Records {
  deliveries(query: DeliveryQuery): Promise<readonly DeliveryRecord[]>;
  delivery(id: number): Promise<DeliveryRecord | null>;
  /** @param query.only those of a community; of those that are done, the newest ones are searched */
  effects(
    query: PageRequest & { state: EffectState | null; only?: RecordScope | null },
  ): Promise<readonly EffectRecord[]>;
  /** @param only null if it is not of this community */
  effect(id: number, only?: RecordScope | null): Promise<EffectRecord | null>;
  /** The effects of a delivery, oldest first. */
  effectsOf(deliveryId: number): Promise<readonly DeliveryEffect[]>;
  /** The entries of an account, newest first; `before` is the id of an entry. */
  entries(accountId: AccountId, limit: number, before?: number | null): Promise<readonly LedgerEntry[]>;
  /** The marks that features have made on an account. */
  marks(accountId: AccountId): Promise<Marks>;
  /** The body of the newest delivery that paid to an account; null without one, or if it was pruned. */
  recentBody(accountId: AccountId): Promise<string | null>;
  /** The entry of a delivery's event, without those of other rewards; null for none. */
  entryOf(delivery: { readonly id: number; readonly userId: string | null }): Promise<LedgerEntry | null>;
  /** The roles of a user in all guilds, with their ends. */
  grants(userId: string): Promise<readonly StoredGrant[]>;
  counts(): Promise<Counts>;
  /**
   * The totals of a community: of its effects that are done, the newest ones are counted.
   * @param counted deliveries that were counted before, because a scan of all takes seconds
   */
  countsIn(
    only: RecordScope,
    counted?: CountedRows,
  ): Promise<{ readonly counts: Counts; readonly counted: CountedRows }>;
  /** @param only those of a community; null for all */
  problems(only: RecordScope | null): Promise<OpenProblems>;
}
