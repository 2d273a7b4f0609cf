import { onTestFinished, vi } from 'vitest';

/** Stops the time of `Date` for a test: rate-limiter-flexible counts by it, and not by a clock of ours. */
export function fixedDate(): { leap(ms: number): void } {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  return { leap: (ms) => void vi.setSystemTime(Date.now() + ms) };
}
