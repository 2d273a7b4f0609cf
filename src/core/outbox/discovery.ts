import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import type { Outbox } from './outbox.ts';
import type { QueueRotation } from './queue-rotation.ts';

/** Time between two passes over all queues with waiting effects. */
export const passIntervalMs = 2 * second;
/** Queues read at once: about 1 ms, because SQLite blocks the thread. */
const queuesPerSlice = 100;
/** Time between two slices of a pass: with thousands of queues, a pass takes seconds instead of the whole thread. */
const sliceIntervalMs = second / 20;
/** Planned effects that enter their queues at once. */
const plannedPerSlice = 100;
/** How long transactions may take to commit after one with higher ids; those that take longer are found by a pass. */
const maxCommitDelayMs = 2 * second;

/**
 * Finds the queues with due effects that nobody reported: of other processes, from before a restart, or retries.
 * @param newEffectsPollMs how often to look for new effects of other processes (ms); null if only the passes find them.
 *   Its cost does not depend on the number of queues or of waiting effects.
 */
export function createDiscovery(options: {
  outbox: Outbox;
  rotation: Pick<QueueRotation, 'add' | 'addAt'>;
  clock: Clock;
  newEffectsPollMs: number | null;
}) {
  const { outbox, rotation, clock, newEffectsPollMs } = options;
  let nextSliceAt = clock.monotonic();
  /** Where the current pass continues. */
  let lastQueue = '';
  let nextPlannedAt = clock.monotonic();
  let nextPollAt = newEffectsPollMs === null ? Number.POSITIVE_INFINITY : clock.monotonic();
  /** The polls whose effects may have been incomplete, oldest first. */
  let polls: { readonly at: number; readonly lastId: number }[] = [];

  async function readSlice(): Promise<void> {
    const now = clock.now();
    const queues = await outbox.queuesAfter(lastQueue, queuesPerSlice, now);
    for (const { queue, dueAt } of queues) {
      if (dueAt <= now) rotation.add(queue);
      else rotation.addAt(queue, dueAt);
    }
    if (queues.length === queuesPerSlice) {
      lastQueue = queues.at(-1)?.queue ?? '';
      nextSliceAt = clock.monotonic() + sliceIntervalMs;
    } else {
      lastQueue = '';
      nextSliceAt = clock.monotonic() + passIntervalMs;
    }
  }

  async function enqueuePlanned(): Promise<void> {
    const now = clock.now();
    const queues = (await outbox.arePlannedDue(now)) ? await outbox.enqueuePlanned(now, plannedPerSlice) : [];
    for (const queue of queues) rotation.add(queue);
    const delayMs = queues.length === plannedPerSlice ? sliceIntervalMs : passIntervalMs;
    nextPlannedAt = clock.monotonic() + delayMs;
  }

  async function pollNewEffects(intervalMs: number): Promise<void> {
    const at = clock.monotonic();
    nextPollAt = at + intervalMs;
    polls = polls.filter((poll) => at - poll.at <= maxCommitDelayMs);
    const { lastId, queues } = await outbox.newEffects(polls[0]?.lastId ?? null);
    polls.push({ at, lastId });
    for (const queue of queues) rotation.add(queue);
  }

  return {
    /** Adds what it finds to the rotation, if it is time to look. */
    async run(): Promise<void> {
      if (newEffectsPollMs !== null && clock.monotonic() >= nextPollAt) await pollNewEffects(newEffectsPollMs);
      if (clock.monotonic() >= nextPlannedAt) await enqueuePlanned();
      if (clock.monotonic() >= nextSliceAt) await readSlice();
    },
    /** Starts a pass over all queues with the next `run`. */
    restart(): void {
      lastQueue = '';
      nextSliceAt = clock.monotonic();
    },
    /** Time until `run` should be called again (ms). */
    msUntilNext: () => Math.min(nextSliceAt, nextPlannedAt, nextPollAt) - clock.monotonic(),
  };
}
