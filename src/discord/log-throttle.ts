import type { Clock } from '../platform/clock.ts';
import { minute } from '../platform/durations.ts';
import type { Log } from '../platform/log.ts';

/** How many lines a topic may have in one interval: the connection at the start, its loss and its recovery. */
const maxLines = 3;
const interval = 1 * minute;

interface Line {
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly message: string;
}

/** Logs a line about a topic, or suppresses it. */
export type LogThrottle = (topic: string, level: Line['level'], fields: object, message: string) => void;

/**
 * Keeps what fails again and again from flooding the log: at most three lines per topic and minute; of those that it suppresses, which are
 * logged as `debug`, the last one follows at the end of the minute with their number. So the newest line about a topic is always true.
 */
export function createLogThrottle({
  log,
  clock,
  signal,
}: {
  log: Log;
  clock: Clock;
  signal: AbortSignal;
}): LogThrottle {
  const intervals = new Map<string, { lines: number; suppressed: number; last: Line | null }>();

  async function begin(topic: string, lines: number): Promise<void> {
    const current = { lines, suppressed: 0, last: null as Line | null };
    intervals.set(topic, current);
    await clock.sleep(interval, signal);
    intervals.delete(topic);
    if (current.last === null || signal.aborted) return;
    const { level, fields, message } = current.last;
    log[level]({ ...fields, suppressed: current.suppressed }, message);
    // A topic that does not calm down stays at one line per interval.
    void begin(topic, maxLines);
  }

  return (topic, level, fields, message) => {
    if (!intervals.has(topic)) void begin(topic, 0);
    const current = intervals.get(topic);
    if (current === undefined || current.lines < maxLines) {
      if (current !== undefined) current.lines += 1;
      log[level](fields, message);
      return;
    }
    current.suppressed += 1;
    current.last = { level, fields, message };
    log.debug(fields, message);
  };
}
