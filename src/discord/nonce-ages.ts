import type { Clock } from '../platform/clock.ts';

/** Messages that are remembered at most; the one that was begun first goes first. */
const mostMessages = 1_000;

/**
 * How long ago messages were first sent of which nobody knows whether they are there. Discord forgets a nonce after minutes of its own time,
 * and between two attempts our wall clock may be set, so this process measures its own attempts in monotonic time.
 */
export interface NonceAges {
  /**
   * Age of the first attempt (ms). Where another process made it, by the wall clock, and negative when that was set back since.
   * @param since when that was (ms since the epoch)
   */
  of(nonce: string, since: number): number;
  /** An attempt begins; `age` is that of the first one (ms), which counts where this process made none before. */
  begin(nonce: string, age: number): void;
  /** The message is there, or surely is not. */
  forget(nonce: string): void;
}

export function createNonceAges({ now, monotonic }: Clock): NonceAges {
  const begun = new Map<string, number>();
  return {
    of(nonce, since) {
      const own = begun.get(nonce);
      return own === undefined ? now() - since : monotonic() - own;
    },
    begin(nonce, age) {
      if (!begun.has(nonce)) begun.set(nonce, monotonic() - age);
      const [oldest] = begun.keys();
      if (begun.size > mostMessages && oldest !== undefined) begun.delete(oldest);
    },
    forget: (nonce) => void begun.delete(nonce),
  };
}
