import type { Clock } from '../../platform/clock.ts';
import { minute } from '../../platform/durations.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { createLoop, type Loop } from '../../platform/loop.ts';
import type { Store } from '../store.ts';

const beatEveryMs = minute;

/** Notes regularly that deliveries can be received, in each process that receives them: days on which none could are forgiven. */
export function createHeartbeat(options: {
  readonly store: Pick<Store, 'upkeep'>;
  readonly clock: Clock;
  readonly log: Log;
}): Loop {
  const { store, clock, log } = options;
  return createLoop({
    round: () => store.upkeep.beat(clock.now()),
    pauseMs: beatEveryMs,
    clock,
    onError: (error) => log.warn({ reason: messageOf(error) }, 'the heartbeat failed; retrying'),
  });
}
