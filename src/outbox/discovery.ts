import type { Clock } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';
import type { ChannelQueue } from './channel-queue.ts';
import type { Outbox } from './outbox.ts';

/** Time between two passes over all channels with waiting effects. */
export const passIntervalMs = 2 * second;
/** Channels read at once: about 1 ms, because SQLite blocks the thread. */
const channelsPerSlice = 100;
/** Time between two slices of a pass: with thousands of channels, a pass takes seconds instead of the whole thread. */
const sliceIntervalMs = second / 20;
/** How long transactions may take to commit after one with higher ids; those that take longer are found by a pass. */
const maxCommitDelayMs = 2 * second;

/** Finds the channels with due effects that nobody reported: of other processes, from before a restart, or retries. */
export interface Discovery {
  /** Adds what it finds to the queue, if it is time to look. */
  run(): Promise<void>;
  /** Starts a pass over all channels with the next `run`. */
  restart(): void;
  /** Time until `run` should be called again (ms). */
  msUntilNext(): number;
}

/**
 * @param newEffectsPollMs how often to look for new effects of other processes (ms); null if only the passes find them.
 *   Its cost does not depend on the number of channels or of waiting effects.
 */
export function createDiscovery(options: {
  outbox: Outbox;
  queue: ChannelQueue;
  clock: Clock;
  newEffectsPollMs: number | null;
}): Discovery {
  const { outbox, queue, clock, newEffectsPollMs } = options;
  let nextSliceAt = clock.monotonic();
  /** Where the current pass continues. */
  let lastChannelId = '';
  let nextPollAt = newEffectsPollMs === null ? Number.POSITIVE_INFINITY : clock.monotonic();
  /** The polls whose effects may have been incomplete, oldest first. */
  let polls: { readonly at: number; readonly lastId: number }[] = [];

  async function readSlice(): Promise<void> {
    const now = clock.now();
    const channels = await outbox.channelsAfter(lastChannelId, channelsPerSlice, now);
    for (const { channelId, dueAt } of channels) {
      if (dueAt <= now) queue.add(channelId);
      else queue.addAt(channelId, dueAt);
    }
    if (channels.length === channelsPerSlice) {
      lastChannelId = channels.at(-1)?.channelId ?? '';
      nextSliceAt = clock.monotonic() + sliceIntervalMs;
    } else {
      lastChannelId = '';
      nextSliceAt = clock.monotonic() + passIntervalMs;
    }
  }

  async function pollNewEffects(intervalMs: number): Promise<void> {
    const at = clock.monotonic();
    nextPollAt = at + intervalMs;
    polls = polls.filter((poll) => at - poll.at <= maxCommitDelayMs);
    const { lastId, channelIds } = await outbox.newEffects(polls[0]?.lastId ?? null);
    polls.push({ at, lastId });
    for (const channelId of channelIds) queue.add(channelId);
  }

  return {
    async run() {
      if (newEffectsPollMs !== null && clock.monotonic() >= nextPollAt) await pollNewEffects(newEffectsPollMs);
      if (clock.monotonic() >= nextSliceAt) await readSlice();
    },
    restart() {
      lastChannelId = '';
      nextSliceAt = clock.monotonic();
    },
    msUntilNext: () => Math.min(nextSliceAt, nextPollAt) - clock.monotonic(),
  };
}
