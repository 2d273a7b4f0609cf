import type { Clock } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';
import { messageOf } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { aheadOfTime, type Quarantine, type QuarantinedDelivery } from '../tally/quarantine-log.ts';
import { parseJson, readPayload } from './payload.ts';
import type { Replay } from './replay.ts';

/** How long between two looks at most (ms): other processes quarantine too, and the clock may be set forward meanwhile. */
const longestPause = 10 * second;
/** Deliveries that are read at one time. */
const pageSize = 500;

/** Replays what was quarantined for nothing but a timestamp ahead of our clock, once that time is reached. */
export interface DueReplays {
  start(): void;
  /** Resolves when the replay that is under way has ended. */
  stop(): Promise<void>;
}

/**
 * The database alone knows what is kept, so it goes on after a restart, and the transaction of a replay takes a row out of the quarantine
 * once, however many processes try.
 */
export function createDueReplays(options: {
  quarantine: Quarantine;
  replay: Replay;
  clock: Clock;
  log: Log;
}): DueReplays {
  const { quarantine, replay, clock, log } = options;
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  /** Returns how long to pause until the next one is due (ms). */
  async function replayDue(): Promise<number> {
    let pause = longestPause;
    let after = 0;
    while (!stopping.signal.aborted) {
      const page = await quarantine.keptFor(aheadOfTime, { after, limit: pageSize });
      for (const delivery of page) {
        after = delivery.id;
        const wait = timeOf(delivery) - clock.now();
        if (wait > 0) pause = Math.min(pause, wait);
        else if (!stopping.signal.aborted) await replayOne(delivery);
      }
      if (page.length < pageSize) break;
    }
    return pause;
  }

  async function replayOne(delivery: QuarantinedDelivery): Promise<void> {
    const { outcome, credits } = await replay(delivery);
    log.info({ delivery: delivery.id, outcome, credits }, 'a quarantined delivery was replayed: its time has come');
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const pause = await replayDue().catch((error: unknown) => {
        log.warn({ reason: messageOf(error) }, 'quarantined deliveries could not be replayed; trying again');
        return longestPause;
      });
      await clock.sleep(pause, stopping.signal);
    }
  }

  return {
    start() {
      running ??= run();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** When the event is (ms since the epoch); never where something else of it is not understood either. */
function timeOf({ body, family }: QuarantinedDelivery): number {
  const reading = readPayload(parseJson(body)?.value, {
    premiumPath: family === 'premium',
    now: Number.POSITIVE_INFINITY,
  });
  return (reading.type === 'event' ? reading.event.at : null) ?? Number.POSITIVE_INFINITY;
}
