import type { Clock } from '@tallyhook/platform/clock';
import type { Log } from '@tallyhook/platform/log';
import type { Family } from '../../webhook/event.ts';
import { clockToleranceMs } from '../../webhook/fields.ts';
import { familyIn, inferVoteKind, kindIn, type ParsedPayload } from '../../webhook/payload.ts';
import { isReplayable, quarantineReasons } from '../../webhook/rejections.ts';
import type { KnownOutcome } from '../../webhook/response.ts';
import { replayKind } from '../outbox/effect-kind.ts';
import type { OutboxChanges } from '../outbox/outbox.ts';
import { type EffectHandler, handle } from '../outbox/perform.ts';
import type { QueueName } from '../outbox/queue.ts';
import { hasBody } from '../records/records.ts';
import { isSameListing, type ListingIdentity } from '../tally/listing-context.ts';
import { queuesOf } from '../tally/queues.ts';
import type { Recorder } from '../tally/recorder.ts';
import { alreadyReplayed, type Delivery, type RecordedDelivery, type RoutedDelivery } from '../tally/tally.ts';
import { plannedReplay, type QuarantinedDelivery } from '../tally/write-event.ts';
import { type ListingScope, type ResolvableListing, withoutSecrets } from './listing.ts';
import {
  eventTimeOf,
  isOnSite,
  readStoredPayload,
  readStoredSiteDelivery,
  resolveListing,
  routeDelivery,
  withDueTime,
} from './routing.ts';

/** A delivery from the log, with the columns that a replay needs. */
export interface StoredDelivery extends Omit<QuarantinedDelivery, 'outcome' | 'origin'> {
  readonly outcome: KnownOutcome;
  /** Missing if the delivery is known to be quarantined. */
  readonly reason?: string | null;
  /** Null if it was never quarantined. */
  readonly origin: readonly ListingIdentity[] | null;
}

/** Resolves after the commit; rejects as {@link Recorder} does. */
export type Replay = (delivery: StoredDelivery & Pick<Delivery, 'isDue' | 'isMember'>) => Promise<RecordedDelivery>;

/**
 * The listings for which a delivery from the log may be recorded: those whose secret has authenticated it, as they are
 * configured now. None if they are not configured any more.
 */
export function listingsOf<Listing extends ResolvableListing>(
  { origin }: Pick<StoredDelivery, 'origin'>,
  configured: readonly Listing[],
): readonly Listing[] {
  return [...new Set((origin ?? []).flatMap((identity) => findListing(identity, configured) ?? []))];
}

/** The configured listing that a listing is now. */
function findListing<Listing extends ResolvableListing>(
  identity: ListingIdentity,
  configured: readonly Listing[],
): Listing | undefined {
  const same = configured.filter((listing) => isSameListing(identity, listing));
  return same.find(({ name }) => name === identity.name) ?? same[0];
}

/**
 * Parses a quarantined delivery again with the current code and settings, and records it at its time of receipt; only
 * its announcement dates from the replay. The signature was verified on receipt, so it is recorded for
 * {@link listingsOf} alone; without one it stays in the quarantine, and says so. A delivery that is neither quarantined nor
 * refused any more is a duplicate and pays nothing.
 */
export function createReplay(options: {
  listings: () => readonly ResolvableListing[];
  recorder: Recorder;
  clock: Clock;
  onRecorded?: (recorded: RecordedDelivery, queues: readonly QueueName[]) => void;
}): Replay {
  const { listings, recorder, clock, onRecorded = () => {} } = options;

  return async (delivery) => {
    if (!isReplayable(delivery)) {
      return { ...alreadyReplayed, deliveryId: delivery.id, reason: 'already replayed' };
    }
    const { id, family, receivedAt, body, isDue, isMember } = delivery;
    // The body of a refused one is kept for a time only, and until its member is forgotten.
    if (delivery.outcome === 'ignored' && !hasBody(delivery))
      return { ...alreadyReplayed, outcome: 'ignored', deliveryId: id, reason: 'its body is not stored any more' };
    const now = clock.now();
    const [listing] = listingsOf(delivery, listings());
    const routed = withDueTime(delivery, route(delivery, listings(), now), listing);
    const recorded = await recorder.recordReplay(
      id,
      { receivedAt, family, body, ...(isDue && { isDue }), ...(isMember && { isMember }) },
      routed,
      now,
    );
    onRecorded(recorded, queuesOf(delivery, routed));
    return recorded;
  };
}

function route(delivery: StoredDelivery, configured: readonly ResolvableListing[], now: number): RoutedDelivery {
  const { family, body } = delivery;
  const origin = delivery.origin ?? [];
  const candidates = listingsOf(delivery, configured);
  const [listing] = candidates;
  if (listing === undefined) return withoutListing(delivery);
  const scopeOf = (each: ResolvableListing): ListingScope => ({ listing: withoutSecrets(each), family });
  const scopes = [scopeOf(listing), ...candidates.slice(1).map(scopeOf)] as const;
  if (isOnSite(listing)) return routeDelivery(readStoredSiteDelivery(body, listing, now), [scopes[0]]);
  const read = readStoredPayload(delivery, now, inferVoteKind(scopes, { signed: true }));
  const payload = requireFamily(family, read);
  // Of several listings with one secret, some were removed: the others must not get the events of these.
  const isAnyGone = origin.some((identity) => findListing(identity, configured) === undefined);
  if (!isAnyGone || payload.type === 'unprocessable') return routeDelivery(payload, scopes);
  const target = payload.type === 'event' ? payload.event.target : payload.target;
  const meant = resolveListing(origin, target);
  if (meant === null)
    return { type: 'quarantine', kind: kindIn(payload), reason: quarantineReasons.noListing, listing: null, origin };
  const current = findListing(meant, configured);
  return current === undefined ? withoutListing(delivery) : routeDelivery(payload, [scopeOf(current)]);
}

/** Nothing else of the delivery changes: its listing may be configured again. */
function withoutListing({ kind, listing, userId, origin }: StoredDelivery): RoutedDelivery {
  const reason = quarantineReasons.listingGone;
  return { type: 'quarantine', kind, reason, listing, userId, origin: origin ?? [] };
}

/** A later version may recognise an event of the other family, which the secret of the delivery does not authorize. */
function requireFamily(family: Family, payload: ParsedPayload): ParsedPayload {
  const payloadFamily = familyIn(payload);
  if (payloadFamily === null || payloadFamily === family) return payload;
  const reason = `it was signed with a ${family} secret`;
  return { type: 'unprocessable', kind: kindIn(payload), reason, family: payloadFamily };
}

/**
 * Replays a delivery that is quarantined only because of a timestamp in the future, when that time is reached. The
 * transaction of a replay takes a row out of the quarantine, so a repeated attempt records nothing.
 */
export function createReplayHandler(options: {
  readonly store: {
    readonly outbox: Pick<OutboxChanges, 'enqueue'>;
    readonly records: { delivery(id: number): Promise<StoredDelivery | null> };
  };
  readonly replay: Replay;
  readonly listings: () => readonly ResolvableListing[];
  readonly clock: Clock;
  readonly log: Log;
}): EffectHandler<'replay'> {
  const { store, replay, listings, clock, log } = options;

  return handle(replayKind, async ({ content: { deliveryId } }) => {
    const stored = await store.records.delivery(deliveryId);
    const isAhead = stored?.outcome === 'quarantined' && stored.reason === quarantineReasons.aheadOfTime;
    const dueAt = isAhead ? dueTimeOf(stored, listings()) : Number.POSITIVE_INFINITY;
    if (!isAhead || dueAt === Number.POSITIVE_INFINITY) return { outcome: 'done' };
    // The clock was set back, or the settings of the listing say another time.
    if (dueAt > clock.now()) {
      await store.outbox.enqueue([plannedReplay(deliveryId, dueAt, clock.now())]);
      return { outcome: 'done' };
    }
    const { outcome, credits, reason } = await replay({ ...stored, isDue: true });
    const fields = { delivery: deliveryId, outcome, credits };
    if (outcome === 'quarantined')
      log.warn({ ...fields, reason }, 'the timestamp of a quarantined delivery was reached');
    else log.info(fields, 'quarantined delivery replayed: its timestamp was reached');
    return { outcome: 'done' };
  });
}

/**
 * The time of the event (ms since the epoch); infinite if the delivery has other errors, too. Without its listing, a
 * delivery of another site cannot be read: then the earliest time that it can have.
 */
function dueTimeOf(delivery: StoredDelivery, listings: readonly ResolvableListing[]): number {
  const [listing] = listingsOf(delivery, listings);
  if (listing === undefined && delivery.origin?.some(({ siteId }) => siteId !== null) === true)
    return delivery.receivedAt + clockToleranceMs;
  return eventTimeOf(delivery, listing);
}
