import { vi } from 'vitest';

/** Repeats the check until it passes, however slow the machine is: it only fails when the test would time out anyway. */
export const eventually = <Value>(check: () => Value | Promise<Value>): Promise<Value> =>
  vi.waitFor(check, { timeout: 60_000, interval: 10 });
