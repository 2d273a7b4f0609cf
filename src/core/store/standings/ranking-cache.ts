import type { Clock } from '../../../platform/clock.ts';
import { minute } from '../../../platform/durations.ts';

/** A result of a scan over all members, for one calendar day. */
export interface Scan {
  /** Members that were read. */
  readonly size: number;
  /** Calendar day (day number). */
  readonly day: number;
  /** Whether a scan would have the same result, as far as that is known. */
  isUnchanged(): boolean;
}

/** A community with at most so many members never sees old data: reading them takes a few ms. */
const maxAlwaysFresh = 2_000;
/** The part of the time that scans of a larger community may take. */
const maxShare = 0.01;
/** A scan that takes longer than this (ms) runs in the background, while the earlier result is used. */
const maxWaitMs = 50;
/** No older result is used (ms). */
const maxAgeMs = 10 * minute;

/**
 * Repeats a scan only as often as is worth it, and not while nothing has changed. In a small community each request gets a scan that began after the last change, and
 * concurrent requests share one. In a larger one, scans take about one percent of the time.
 */
export function createRankingCache<Result extends Scan>(
  scan: (day: number) => Promise<Result>,
  { monotonic }: Pick<Clock, 'monotonic'>,
): (day: number) => Promise<Result> {
  let latest: { readonly result: Result; readonly startedAt: number; readonly tookMs: number } | undefined;
  let running: Promise<Result> | undefined;
  let queued: Promise<Result> | undefined;

  function run(day: number): Promise<Result> {
    const startedAt = monotonic();
    const scanning = scan(day).then((result) => {
      latest = { result, startedAt, tookMs: monotonic() - startedAt };
      return result;
    });
    running = scanning;
    const end = () => {
      if (running === scanning) running = undefined;
    };
    scanning.then(end, end);
    return scanning;
  }

  /** The result that can be used for a while, or until there is a newer one. */
  function usable(day: number): 'current' | 'until refreshed' | null {
    if (latest === undefined || latest.result.day !== day) return null;
    if (latest.result.isUnchanged()) return 'current';
    if (latest.result.size <= maxAlwaysFresh) return null;
    const age = monotonic() - latest.startedAt;
    if (age > maxAgeMs) return null;
    // A very long scan is repeated a little more often, so that nobody has to wait for it.
    if (age < Math.min(latest.tookMs / maxShare, maxAgeMs / 2)) return 'current';
    return latest.tookMs > maxWaitMs ? 'until refreshed' : null;
  }

  function refresh(day: number): Promise<Result> {
    if (running === undefined) return run(day);
    queued ??= afterRunning(running, day);
    return queued;
  }

  /** The running scan may have read a member before the event that the caller knows of. */
  async function afterRunning(earlier: Promise<Result>, day: number): Promise<Result> {
    await earlier.catch(() => {});
    queued = undefined;
    if (latest !== undefined && usable(day) !== null) return latest.result;
    return running ?? run(day);
  }

  return async (day) => {
    const use = usable(day);
    if (latest === undefined || use === null) return refresh(day);
    // An error is reported to the next caller who waits for a scan.
    if (use === 'until refreshed' && running === undefined) run(day).catch(() => {});
    return latest.result;
  };
}
