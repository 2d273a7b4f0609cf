import type { Clock } from '@tallyhook/platform/clock';
import type { Log } from '@tallyhook/platform/log';
import { clockToleranceMs } from '../../webhook/fields.ts';
import { quarantineReasons } from '../../webhook/quarantine-reasons.ts';
import { replayKind } from '../outbox/effect-kind.ts';
import type { OutboxChanges } from '../outbox/outbox.ts';
import { type EffectHandler, handle } from '../outbox/perform.ts';
import { plannedReplay } from '../tally/quarantine.ts';
import type { ResolvableListing } from './listing.ts';
import { eventTimeOf, listingsOf, type Replay, type StoredDelivery } from './replay.ts';

/**
 * Replays a delivery that is quarantined only because of a timestamp in the future, when that time is reached. The
 * transaction of a replay takes a row out of the quarantine, so a repeated attempt records nothing.
 */
export function createReplayHandler(options: {
  readonly store: {
    readonly outbox: Pick<OutboxChanges, 'enqueue'>;
    readonly records: { delivery(id: number): Promise<(StoredDelivery & { readonly reason: string | null }) | null> };
  };
  readonly replay: Replay;
  /** The configured listings. */
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
