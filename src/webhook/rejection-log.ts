import type { Clock } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';
import type { Log } from '../platform/log.ts';

/** Refusals of one kind are told at most once in this time (ms): whoever floods the receiver must not flood the log. */
const quiet = 10 * second;

/** Tells the owner of refused deliveries, with how many there were since it was last told. */
export type LogRejection = (status: number, error: string) => void;

/** Of one kind are those of the same status and text, whoever sent them. */
export function createRejectionLog(log: Log, clock: Clock): LogRejection {
  const told = new Map<string, { at: number; since: number }>();
  return (status, error) => {
    const key = `${status} ${error}`;
    const last = told.get(key) ?? { at: Number.NEGATIVE_INFINITY, since: 0 };
    const now = clock.monotonic();
    if (now - last.at < quiet) {
      last.since += 1;
      return;
    }
    log.warn({ status, reason: error, ...(last.since > 0 && { unsaid: last.since }) }, 'a delivery was refused');
    told.set(key, { at: now, since: 0 });
  };
}
