import type { Clock } from '../../platform/clock.ts';
import { second } from '../../platform/durations.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { createLoop, type Loop } from '../../platform/loop.ts';
import { quarantineReasons } from '../../webhook/quarantine-reasons.ts';
import type { Quarantine } from '../store/records/quarantine.ts';
import type { QuarantinedDelivery } from '../tally/quarantine.ts';
import type { ResolvableListing } from './listing.ts';
import { eventTimeOf, type Replay } from './replay.ts';

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
  /** The listing with this name; by default none, as if all were of the document's service. */
  findListing?: (name: string) => ResolvableListing | undefined;
  clock: Clock;
  log: Log;
}): Loop {
  const { quarantine, replay, findListing = () => undefined, clock, log } = options;
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
        const listing = delivery.listing === null ? undefined : findListing(delivery.listing);
        const waitMs = eventTimeOf(delivery, listing) - clock.now();
        if (waitMs > 0) untilNextMs = Math.min(untilNextMs, waitMs);
        else if (!signal.aborted) await replayOne(delivery);
      }
      if (page.length < pageSize) break;
    }
    pauseMs = untilNextMs;
  }

  async function replayOne(delivery: QuarantinedDelivery): Promise<void> {
    const { outcome, credits } = await replay({ ...delivery, isDue: true });
    log.info({ delivery: delivery.id, outcome, credits }, 'quarantined delivery replayed: its timestamp was reached');
  }

  return createLoop({
    round: replayDue,
    pauseMs: () => pauseMs,
    onError: (error) => log.warn({ reason: messageOf(error) }, 'replay of quarantined deliveries failed; retrying'),
    clock,
  });
}
