import type { Event, Vote } from '../../webhook/event.ts';
import { quarantineReasons } from '../../webhook/rejections.ts';
import { announcementKind, newEffect } from '../outbox/effect-kind.ts';
import { voteKeys } from './idempotency-key.ts';
import { identityOf, type ListingContext, type ListingIdentity } from './listing-context.ts';
import { channelQueueOf } from './queues.ts';
import { recordClaim } from './record-claim.ts';
import { recordCorrection, recordTransfer } from './record-correction.ts';
import { recordPremium } from './record-premium.ts';
import { recordVote } from './record-vote.ts';
import {
  alreadyReplayed,
  type Delivery,
  type DeliveryRowWriter,
  type RecordedDelivery,
  type RoutedDelivery,
  type Tally,
} from './tally.ts';
import {
  quarantineDelivery,
  type RecordingContext,
  testAnnouncementOf,
  withPlausibleTime,
  writeRepeat,
  writeUnpaid,
} from './write-event.ts';

/** What decides what counts, by name: each reads and writes through the tally of its transaction. */
const operations = {
  record: recordDelivery,
  recordReplay,
  correct: recordCorrection,
  transfer: recordTransfer,
  recordClaim,
};

type Operations = typeof operations;
type WithoutTally<Args extends readonly unknown[]> = Args extends readonly [Tally, ...infer Rest] ? Rest : never;
type RecordingName = keyof Operations;
type RecordingArgs = { [Name in RecordingName]: WithoutTally<Parameters<Operations[Name]>> };
type RecordingResults = { [Name in RecordingName]: ReturnType<Operations[Name]> };
export type RecordingResult = RecordingResults[RecordingName];

/**
 * The operations as all other code calls them. Each call is one transaction and resolves when that is on disk. Waiting
 * calls are committed together. What a transaction has read stays valid until its commit, over all processes.
 * Rejects with {@link StoreUnavailableError} if the store cannot commit, and with TallyhookError `queue_full` if too
 * many calls are waiting; then nothing is stored.
 */
export type Recordings = {
  readonly [Name in RecordingName]: (...args: RecordingArgs[Name]) => Promise<RecordingResults[Name]>;
};

/** Records deliveries, new ones and those from the quarantine. */
export type Recorder = Pick<Recordings, 'record' | 'recordReplay'>;
export type ClaimRecorder = Pick<Recordings, 'recordClaim'>;

/** A call of an operation as plain data, which the writer runs, perhaps in another thread. */
export type RecordingJob<Name extends RecordingName = RecordingName> = {
  [Each in Name]: { readonly name: Each; readonly args: RecordingArgs[Each] };
}[Name];

/** Decides a job, and writes its changes to the tally. Throws what the tally throws. */
export function decide<Name extends RecordingName>(tally: Tally, job: RecordingJob<Name>): RecordingResults[Name] {
  const decisions: { [Each in RecordingName]: (tally: Tally, ...args: RecordingArgs[Each]) => RecordingResults[Each] } =
    operations;
  return decisions[job.name](tally, ...job.args);
}

/** @param write resolves to the result of the job */
export function createRecordings(write: (job: RecordingJob) => Promise<unknown>): Recordings {
  const entries = Object.keys(operations).map((name) => [
    name,
    (...args: unknown[]) => write({ name, args } as RecordingJob),
  ]);
  return Object.fromEntries(entries);
}

/** Records a new delivery. */
function recordDelivery(tally: Tally, delivery: Delivery, routed: RoutedDelivery): RecordedDelivery {
  return recordRouted(tally, delivery, routed, {
    effectsCreatedAt: delivery.receivedAt,
    isReleased: false,
    replayedId: null,
    writeRow: (row) => tally.insertDelivery(row.outcome === 'quarantined' ? { ...row, origin: originOf(routed) } : row),
  });
}

/**
 * Records a quarantined delivery in its existing row. The outcome is `duplicate` if it is no longer quarantined.
 * @param now ms since the epoch
 */
function recordReplay(
  tally: Tally,
  id: number,
  delivery: Delivery,
  routed: RoutedDelivery,
  now: number,
): RecordedDelivery {
  return recordRouted(tally, delivery, routed, {
    effectsCreatedAt: now,
    isReleased: delivery.isDue !== true,
    replayedId: id,
    writeRow: (row) => (tally.updateDelivery(id, row) ? id : null),
  });
}

function recordRouted(
  untracedTally: Tally,
  delivery: Delivery,
  routed: RoutedDelivery,
  rowWriter: DeliveryRowWriter,
): RecordedDelivery {
  const { traceparent } = delivery;
  const tally = traceparent === undefined ? untracedTally : withTrace(untracedTally, traceparent);
  switch (routed.type) {
    case 'event':
      return recordEvent(tally, routed.event, routed.listing, delivery, rowWriter);
    case 'test':
      return recordTest(tally, routed, delivery, rowWriter);
    case 'order':
      return recordOrderEvent(tally, routed, delivery, rowWriter);
    case 'ignored': {
      const { kind, listing } = routed;
      return writeUnpaid({ ...delivery, listing, kind, outcome: 'ignored', reason: null, userId: null }, rowWriter);
    }
    case 'quarantine': {
      const repeat = routed.unless && recordKnown(routed.unless, { tally, delivery, rowWriter });
      return repeat ?? quarantineDelivery(tally, delivery, routed, rowWriter);
    }
  }
}

/** The listings whose secret has authenticated a delivery, as far as its event did not decide for one of them. */
function originOf(routed: RoutedDelivery): readonly ListingIdentity[] {
  switch (routed.type) {
    case 'event':
    case 'test':
      return [identityOf(routed.listing)];
    case 'order':
      return routed.listings.map(identityOf);
    case 'quarantine':
      return routed.origin;
    case 'ignored':
      return [];
  }
}

/** Records a delivery of a vote that is known as a repeat; null if it is not known. */
function recordKnown(
  { vote, listing }: { readonly vote: Vote; readonly listing: ListingContext },
  context: Omit<RecordingContext, 'listing'>,
): RecordedDelivery | null {
  const keys = voteKeys(vote, listing, context.delivery.receivedAt);
  return keys.some(context.tally.hasEvent) ? writeRepeat(vote, keys, { ...context, listing }) : null;
}

/** A tally whose effects belong to the trace. */
function withTrace(tally: Tally, traceparent: string): Tally {
  return { ...tally, enqueue: (effect) => tally.enqueue({ ...effect, traceparent }) };
}

/** Logs and announces every test delivery. A test pays nothing and is not counted as a vote. */
function recordTest(
  tally: Tally,
  { test, listing }: RoutedDelivery & { type: 'test' },
  delivery: Delivery,
  rowWriter: DeliveryRowWriter,
): RecordedDelivery {
  const row = { ...delivery, listing: listing.name, kind: test.kind, outcome: 'test', userId: test.userId } as const;
  const recorded = writeUnpaid({ ...row, reason: null }, rowWriter);
  const queue = channelQueueOf(delivery.family, listing);
  if (recorded === alreadyReplayed || queue === null) return recorded;
  const { deliveryId } = recorded;
  const content = testAnnouncementOf(test, listing, delivery.receivedAt);
  const createdAt = rowWriter.effectsCreatedAt;
  tally.enqueue(newEffect(announcementKind, { deliveryId, queue, content, createdAt }));
  return { ...recorded, isAnnounced: true };
}

/** The stored order determines the listing of an event that could belong to several. */
function recordOrderEvent(
  tally: Tally,
  { event, listings, fallback }: RoutedDelivery & { type: 'order' },
  delivery: Delivery,
  rowWriter: DeliveryRowWriter,
): RecordedDelivery {
  const ofOrder = listings.find(
    ({ name, community }) => tally.findOrder(community.id, event.orderIds)?.listing === name,
  );
  const listing = ofOrder ?? listings.find(({ name }) => name === fallback);
  if (listing !== undefined) return recordEvent(tally, event, listing, delivery, rowWriter);
  const reason = quarantineReasons.noListing;
  return quarantineDelivery(tally, delivery, { kind: event.kind, reason, listing: null }, rowWriter);
}

/**
 * Writes the row, entries, account and effects of an event, inside the caller's transaction.
 * An event that is already recorded adds only a row to the delivery log.
 */
function recordEvent(
  tally: Tally,
  event: Event,
  listing: ListingContext,
  delivery: Delivery,
  rowWriter: DeliveryRowWriter,
): RecordedDelivery {
  const context = { tally, listing, delivery, rowWriter };
  const plausible = withPlausibleTime(event, delivery.receivedAt);
  return plausible.family === 'vote' ? recordVote(plausible, context) : recordPremium(plausible, context);
}
