import type { Clock } from '../platform/clock.ts';

/** Counts what each address does, so that none does more than `most` within a window. */
export interface RateLimit {
  /** How long this address has to wait (ms); 0 when it may go on. */
  wait(address: string): number;
  /** One more. */
  count(address: string): void;
}

/** Addresses that are remembered at most; the one that was seen first goes first. */
const mostAddresses = 10_000;

/** @param window ms, from an address's first count on */
export function createRateLimit({ most, window, clock }: { most: number; window: number; clock: Clock }): RateLimit {
  const counted = new Map<string, { count: number; readonly until: number }>();

  function current(address: string) {
    const found = counted.get(address);
    if (found !== undefined && found.until > clock.monotonic()) return found;
    counted.delete(address);
    return undefined;
  }

  return {
    wait(address) {
      const found = current(address);
      return found !== undefined && found.count >= most ? found.until - clock.monotonic() : 0;
    },
    count(address) {
      const found = current(address) ?? { count: 0, until: clock.monotonic() + window };
      found.count += 1;
      counted.set(address, found);
      const [oldest] = counted.keys();
      if (counted.size > mostAddresses && oldest !== undefined) counted.delete(oldest);
    },
  };
}
