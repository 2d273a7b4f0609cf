import { vi } from 'vitest';

/** Repeats a check until it passes, however slow the machine is. Shorter than a test may take, so that the failure is shown. */
export const eventually = <Value>(check: () => Value | Promise<Value>): Promise<Value> =>
  vi.waitFor(check, { timeout: 40_000, interval: 10 });
