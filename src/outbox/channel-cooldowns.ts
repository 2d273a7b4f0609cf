import type { Clock } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';
import type { ClaimFilter } from './outbox.ts';

/**
 * An effect may be committed so long after it became due (ms) that a look just before did not see it: a delivery waits 3 s for its commit,
 * and then for what that takes.
 */
const lag = 5 * second;

/** The channels that have to rest for a while, because Discord asks for it; what is meant for others goes on meanwhile. */
export interface ChannelCooldowns {
  /** Begins a rest of `ms`. */
  start(channelId: string, ms: number): void;
  /** What need not be looked at while they rest at `now` (ms since the epoch). */
  filterAt(now: number): ClaimFilter;
  /** Nothing for others is due at `now`: while they rest, only what comes later has to be looked at, not their backlog again and again. */
  nothingElse(now: number): void;
  /** Something may be due again that was due before. */
  lookAgain(): void;
  /** How long until the next rest ends (ms); null when nobody rests. */
  nextEnd(): number | null;
}

/** Kept in memory alone, in monotonic time: after a restart Discord asks for them anew. */
export function createChannelCooldowns({ monotonic }: Pick<Clock, 'monotonic'>): ChannelCooldowns {
  const ends = new Map<string, number>();
  let lookedUntil = 0;

  return {
    start(channelId, ms) {
      ends.set(channelId, monotonic() + ms);
    },
    filterAt(now) {
      for (const [channelId, end] of ends) {
        if (end > monotonic()) continue;
        ends.delete(channelId);
        lookedUntil = 0;
      }
      // After the clock was set back, what comes now is due at earlier times than what was looked at.
      if (now < lookedUntil) lookedUntil = 0;
      return { channels: [...ends.keys()], lookedUntil };
    },
    nothingElse(now) {
      lookedUntil = now - lag;
    },
    lookAgain() {
      lookedUntil = 0;
    },
    nextEnd: () => (ends.size === 0 ? null : Math.min(...ends.values()) - monotonic()),
  };
}
