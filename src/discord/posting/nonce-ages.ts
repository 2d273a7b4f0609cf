import type { Clock } from '@tallyhook/platform/clock';

/** The oldest entry is removed beyond this number. */
const maxEntries = 1_000;

/**
 * The age of messages that were sent with an unknown result. Discord forgets a nonce after a few minutes, and the wall
 * clock can be set between two attempts, so attempts of this process are measured in monotonic time.
 */
export function createNonceAges({ now, monotonic }: Clock) {
  const startTimes = new Map<string, number>();
  return {
    /**
     * Age of the first attempt (ms). If another process made it, by the wall clock; negative if that was set back since.
     * @param since start of the first attempt (ms since the epoch)
     */
    of(nonce: string, since: number): number {
      const startedAt = startTimes.get(nonce);
      return startedAt === undefined ? now() - since : monotonic() - startedAt;
    },
    /**
     * Starts the measurement unless it runs already.
     * @param age age of the first attempt (ms); 0 for the first attempt itself
     */
    begin(nonce: string, age: number): void {
      if (!startTimes.has(nonce)) startTimes.set(nonce, monotonic() - age);
      const [oldest] = startTimes.keys();
      if (startTimes.size > maxEntries && oldest !== undefined) startTimes.delete(oldest);
    },
    /** The result is known. */
    forget: (nonce: string) => void startTimes.delete(nonce),
  };
}
