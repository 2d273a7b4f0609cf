import type { Clock } from '../platform/clock.ts';
import { minute } from '../platform/durations.ts';
import { messageOf } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';

const interval = 1 * minute;

/** Keeps house every minute. @returns a function that ends it. */
export function startMaintenance(keep: (now: number) => Promise<void>, clock: Clock, log: Log): () => Promise<void> {
  const stopping = new AbortController();
  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await keep(clock.now());
      } catch (thrown) {
        log.error({ error: messageOf(thrown) }, 'housekeeping failed');
      }
      await clock.sleep(interval, stopping.signal);
    }
  }
  const running = run();
  return async () => {
    stopping.abort();
    await running;
  };
}
