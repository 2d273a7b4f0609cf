import type { Clock } from './clock.ts';
import type { Log } from './log.ts';

/** Logs the message unless one with the same key was logged within the interval. Returns whether it was logged. */
export type LogThrottled = (level: 'error' | 'warn', key: string, message: string, fields?: object) => boolean;

/**
 * Limits repeated log messages, so that a failing service or a flood of requests does not flood the log. The first message after the
 * interval has the field `suppressed`: how many were left out. Keys must come from a bounded set.
 *
 * @param options.intervalMs shortest time between two messages with the same key (ms)
 */
export function createThrottledLog(options: { log: Log; clock: Clock; intervalMs: number }): LogThrottled {
  const { log, clock, intervalMs } = options;
  const last = new Map<string, { readonly at: number; suppressed: number }>();
  return (level, key, message, fields = {}) => {
    const now = clock.monotonic();
    const previous = last.get(key);
    if (previous !== undefined && now - previous.at < intervalMs) {
      previous.suppressed += 1;
      return false;
    }
    const suppressed = previous?.suppressed ?? 0;
    log[level]({ ...fields, ...(suppressed > 0 && { suppressed }) }, message);
    last.set(key, { at: now, suppressed: 0 });
    return true;
  };
}
