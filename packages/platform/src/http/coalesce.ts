import { type Clock, systemClock } from '../clock.ts';

/**
 * Limits the cost of concurrent and frequent calls: while `load` runs, all callers share that run, and for `ttlMs`
 * afterwards they get its value. A failure is shared by the waiting callers and not cached.
 */
export function coalesce<Value>(
  load: () => Promise<Value>,
  ttlMs: number,
  { monotonic }: Pick<Clock, 'monotonic'> = systemClock,
): () => Promise<Value> {
  let currentRun: Promise<Value> | undefined;
  let expiresAt = 0;

  async function run(): Promise<Value> {
    try {
      const value = await load();
      expiresAt = monotonic() + ttlMs;
      return value;
    } catch (error) {
      currentRun = undefined;
      throw error;
    }
  }

  return () => {
    if (currentRun === undefined || monotonic() >= expiresAt) {
      expiresAt = Number.POSITIVE_INFINITY;
      currentRun = run();
    }
    return currentRun;
  };
}
