import { onTestFinished, vi } from 'vitest';

/** Stops the time of `Date` for a test: the limits count by it, and not by the clock of the service. */
export function fixedDate(): { leap(ms: number): void } {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  return { leap: (ms) => void vi.setSystemTime(Date.now() + ms) };
}
