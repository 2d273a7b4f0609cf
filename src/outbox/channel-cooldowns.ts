import type { Clock } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';
import type { ClaimFilter } from './outbox.ts';

/**
 * How long after its due time an effect may still be committed (ms), so that an earlier scan missed it: a delivery
 * waits up to 3 s for the database lock, and then for the commit.
 */
const maxCommitDelayMs = 5 * second;

/** Channels that are paused because Discord rate-limits them. Effects of other channels continue. */
export interface ChannelCooldowns {
  /** Pauses a channel for `ms`. */
  start(channelId: string, ms: number): void;
  /** What a claim at `now` (ms since the epoch) can skip. */
  claimFilter(now: number): ClaimFilter;
  /**
   * Records that no effect of another channel is due at `now`, so that the backlog of the paused channels is not
   * scanned again.
   */
  skipUntil(now: number): void;
  /** Clears {@link skipUntil}: effects with an earlier due time may be claimable again. */
  resetSkip(): void;
  /** Time until the first pause ends (ms); null when no channel is paused. */
  msUntilNextEnd(): number | null;
}

/** Kept in memory and measured in monotonic time. After a restart Discord reports its limits again. */
export function createChannelCooldowns({ monotonic }: Pick<Clock, 'monotonic'>): ChannelCooldowns {
  const ends = new Map<string, number>();
  let skipUntil = 0;

  return {
    start(channelId, ms) {
      ends.set(channelId, monotonic() + ms);
    },
    claimFilter(now) {
      for (const [channelId, end] of ends) {
        if (end > monotonic()) continue;
        ends.delete(channelId);
        skipUntil = 0;
      }
      // After the clock was set back, new effects have earlier due times than those already scanned.
      if (now < skipUntil) skipUntil = 0;
      return { excludedChannelIds: [...ends.keys()], skipUntil };
    },
    skipUntil(now) {
      skipUntil = now - maxCommitDelayMs;
    },
    resetSkip() {
      skipUntil = 0;
    },
    msUntilNextEnd: () => (ends.size === 0 ? null : Math.min(...ends.values()) - monotonic()),
  };
}
