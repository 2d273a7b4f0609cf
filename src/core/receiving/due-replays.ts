import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { createLoop, type Loop } from '@tallyhook/platform/loop';
import { clockToleranceMs } from '../../webhook/fields.ts';
import { quarantineReasons } from '../../webhook/quarantine-reasons.ts';
import type { Quarantine } from '../store/records/quarantine.ts';
import type { QuarantinedDelivery } from '../tally/quarantine.ts';
import type { ResolvableListing } from './listing.ts';
import { eventTimeOf, listingsOf, type Replay } from './replay.ts';

/**
 * Longest pause between two polls (ms): other processes also quarantine deliveries, and the clock may be set forward.
 */
const maxPollMs = 10 * second;
/** Deliveries per query. */
const pageSize = 500;

/**
 * Replays deliveries that are quarantined only because of a timestamp in the future, when that time is reached. The state
 * is in the database alone, so replays continue after a restart. The transaction of a replay takes a row out of the
 * quarantine, so with several processes each delivery is replayed once.
 */
export function createDueReplays(options: {
  quarantine: Quarantine;
  replay: Replay;
  /** The configured listings; by default none, as if all were of the document's service. */
  listings?: () => readonly ResolvableListing[];
  clock: Clock;
  log: Log;
}): Loop {
  const { quarantine, replay, listings = () => [], clock, log } = options;
  /** Until the next poll. */
  let pauseMs = maxPollMs;

  async function replayDue(signal: AbortSignal): Promise<void> {
    pauseMs = maxPollMs;
    let untilNextMs = maxPollMs;
    let after = 0;
    while (!signal.aborted) {
      const page = await quarantine.findByReason(quarantineReasons.aheadOfTime, { after, limit: pageSize });
      for (const delivery of page) {
        after = delivery.id;
        const waitMs = dueTimeOf(delivery, listings()) - clock.now();
        if (waitMs > 0) untilNextMs = Math.min(untilNextMs, waitMs);
        else if (!signal.aborted) await replayOne(delivery);
      }
      if (page.length < pageSize) break;
    }
    pauseMs = untilNextMs;
  }

  async function replayOne(delivery: QuarantinedDelivery): Promise<void> {
    const { outcome, credits, reason } = await replay({ ...delivery, isDue: true });
    const fields = { delivery: delivery.id, outcome, credits };
    if (outcome === 'quarantined')
      log.warn({ ...fields, reason }, 'the timestamp of a quarantined delivery was reached');
    else log.info(fields, 'quarantined delivery replayed: its timestamp was reached');
  }

  return createLoop({
    round: replayDue,
    pauseMs: () => pauseMs,
    onError: (error) => log.warn({ reason: messageOf(error) }, 'replay of quarantined deliveries failed; retrying'),
    clock,
  });
}

/**
 * The time of the event (ms since the epoch); infinite if the delivery has other errors, too. Without its listing, a
 * delivery of another site cannot be read: then the earliest time that it can have.
 */
function dueTimeOf(delivery: QuarantinedDelivery, listings: readonly ResolvableListing[]): number {
  const [listing] = listingsOf(delivery, listings);
  if (listing === undefined && delivery.origin.some(({ siteId }) => siteId !== null))
    return delivery.receivedAt + clockToleranceMs;
  return eventTimeOf(delivery, listing);
}
