import type { Clock } from '@tallyhook/platform/clock';
import { formatWait, hour } from '@tallyhook/platform/durations';
import type { Log } from '@tallyhook/platform/log';
import { createThrottledLog } from '@tallyhook/platform/throttled-log';

/** So many deliveries in a row that are ahead of time are no error of one sender. */
const minInRow = 3;
const logIntervalMs = hour;

/**
 * Notices that deliveries are ahead of time because the clock of this machine is behind. The function that it returns is
 * called with each authentic delivery that has a time: by how much that is ahead of its receipt (ms).
 */
export function createClockSuspicion({ clock, log }: { readonly clock: Clock; readonly log: Log }) {
  const logThrottled = createThrottledLog({ log, clock, intervalMs: logIntervalMs });
  /** Whether a delivery had a time that is possible by this clock. */
  let isTrusted = false;
  let inRow = 0;
  /** A delivery that is late is less ahead than the clock is behind. */
  let mostAheadMs = 0;

  return (aheadMs: number, isAheadOfTime: boolean): void => {
    if (!isAheadOfTime) {
      isTrusted = true;
      inRow = 0;
      mostAheadMs = 0;
      return;
    }
    inRow += 1;
    mostAheadMs = Math.max(mostAheadMs, aheadMs);
    if (isTrusted && inRow < minInRow) return;
    const behindBy = formatWait(mostAheadMs);
    logThrottled('warn', 'clock', message, { behindBy, behindByMs: mostAheadMs, deliveries: inRow, hint });
  };
}

const message = 'deliveries are dated ahead of this machine: its clock may be behind';
const hint =
  'Compare the clock with the true time, and set it (NTP). The quarantined deliveries are recorded when it has reached their times.';
