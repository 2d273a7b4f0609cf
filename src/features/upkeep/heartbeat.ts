import type { Clock } from '@tallyhook/platform/clock';
import { minute } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { createLoop, type Loop } from '@tallyhook/platform/loop';
import type { Store } from '../store.ts';

const beatEveryMs = minute;
/** The clocks of several machines may differ by this much (ms). */
const clockToleranceMs = 5 * minute;
/** Deliveries whose times one transaction corrects: a few ms. */
const correctedAtOnce = 20;

/**
 * Notes regularly that deliveries can be received, in each process that receives them: days on which none could are forgiven.
 * If the last time is in the future, the clock was ahead, also before a restart: what has its time from it is corrected.
 */
export function createHeartbeat(options: {
  readonly store: Pick<Store, 'upkeep'>;
  readonly clock: Clock;
  readonly log: Log;
}): Loop {
  const { store, clock, log } = options;
  const { upkeep } = store;

  async function beat(): Promise<void> {
    const now = clock.now();
    const last = await upkeep.lastBeat();
    if (last !== null && last > now + clockToleranceMs) await correctTimes(now);
    await upkeep.beat(now);
  }

  async function correctTimes(now: number): Promise<void> {
    const ids = await upkeep.receivedAfter(now);
    for (let done = 0; done < ids.length; done += correctedAtOnce)
      await upkeep.correctTimes(ids.slice(done, done + correctedAtOnce), now);
    await upkeep.wakePlanned(now);
    if (ids.length > 0)
      log.warn(
        { deliveries: ids.length },
        'the clock was ahead: the times of receipt that it gave were corrected to now',
      );
  }

  return createLoop({
    round: beat,
    pauseMs: beatEveryMs,
    clock,
    onError: (error) => log.warn({ reason: messageOf(error) }, 'the heartbeat failed; retrying'),
  });
}
