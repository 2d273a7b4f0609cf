import type { Clock } from './clock.ts';
import type { Log } from './log.ts';

type Level = 'error' | 'warn' | 'info';

/**
 * Logs the message unless as many with the same key as allowed were logged within the interval. Returns whether it was
 * logged.
 * @param fields a function is called only if they are logged: what a flood causes must cost little
 */
export type LogThrottled = (level: Level, key: string, message: string, fields?: object | (() => object)) => boolean;

interface Interval {
  readonly startedAt: number;
  logged: number;
  suppressed: number;
  last: { readonly level: Level; readonly message: string; readonly fields: object } | null;
}

/**
 * Limits repeated log messages, so that a failing service or a flood of requests does not flood the log. The first
 * message after the interval has the field `suppressed`: how many were left out. Keys must come from a bounded set.
 */
export function createThrottledLog(options: {
  log: Log;
  clock: Clock;
  /** How long messages with the same key are limited (ms). */
  intervalMs: number;
  /** Messages per key and interval; default 1. */
  maxMessages?: number;
  /**
   * If present, the last suppressed message is logged at the end of the interval, until the signal aborts: the newest
   * line about a key then always describes its current state. Suppressed messages are logged as `debug`.
   */
  flushUntil?: AbortSignal;
}): LogThrottled {
  const { log, clock, intervalMs, maxMessages = 1, flushUntil } = options;
  const intervals = new Map<string, Interval>();

  function begin(key: string, logged: number): void {
    intervals.set(key, { startedAt: clock.monotonic(), logged, suppressed: 0, last: null });
    if (flushUntil !== undefined) void flushAtEnd(key, flushUntil);
  }

  async function flushAtEnd(key: string, signal: AbortSignal): Promise<void> {
    await clock.sleep(intervalMs, signal);
    const { last = null, suppressed = 0 } = intervals.get(key) ?? {};
    intervals.delete(key);
    if (last === null || signal.aborted) return;
    log[last.level]({ ...last.fields, suppressed }, last.message);
    // While messages continue, one line per interval is logged.
    begin(key, maxMessages);
  }

  return (level, key, message, given = {}) => {
    const read = () => (typeof given === 'function' ? given() : given);
    const current = intervals.get(key);
    const isOver = flushUntil === undefined && current && clock.monotonic() - current.startedAt >= intervalMs;
    if (current === undefined || isOver) {
      const suppressed = current?.suppressed ?? 0;
      log[level]({ ...read(), ...(suppressed > 0 && { suppressed }) }, message);
      begin(key, 1);
      return true;
    }
    if (current.logged < maxMessages) {
      current.logged += 1;
      log[level](read(), message);
      return true;
    }
    current.suppressed += 1;
    if (flushUntil !== undefined) {
      const fields = read();
      current.last = { level, message, fields };
      log.debug(fields, message);
    }
    return false;
  };
}
