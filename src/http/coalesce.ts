/**
 * Bounds what callers can cost: while `load` runs, all of them wait for that one run, and for `ttlMs` after it they get its value.
 * A failure is shared by those who wait for it and not cached. Time is measured by a monotonic clock, so a clock that is set back
 * does not prolong the TTL.
 */
export function coalesce<Value>(load: () => Promise<Value>, ttlMs: number): () => Promise<Value> {
  let shared: Promise<Value> | undefined;
  let expiresAt = 0;

  async function run(): Promise<Value> {
    try {
      const value = await load();
      expiresAt = performance.now() + ttlMs;
      return value;
    } catch (error) {
      shared = undefined;
      throw error;
    }
  }

  return () => {
    if (shared === undefined || performance.now() >= expiresAt) {
      expiresAt = Number.POSITIVE_INFINITY;
      shared = run();
    }
    return shared;
  };
}
