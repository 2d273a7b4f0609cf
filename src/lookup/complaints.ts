import type { Clock } from '../platform/clock.ts';
import { minute } from '../platform/durations.ts';
import type { Log } from '../platform/log.ts';

/**
 * Tells the owner about a fault, each `code` at most once a minute: a dead service would flood the log otherwise. Returns whether it was
 * told.
 */
export type LogThrottled = (level: 'error' | 'warn', code: string, message: string, about?: object) => boolean;

/** The minute is counted by each for itself: one for every lookup client. */
export function createThrottledLog(options: { log: Log; clock: Clock }): LogThrottled {
  const quietUntil = new Map<string, number>();
  return (level, code, message, about = {}) => {
    const now = options.clock.monotonic();
    if (now < (quietUntil.get(code) ?? 0)) return false;
    quietUntil.set(code, now + minute);
    options.log[level]({ code, ...about }, message);
    return true;
  };
}
