import type { Clock } from '../../platform/clock.ts';
import { second } from '../../platform/durations.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';

/** Everything that is announced regularly is announced within a few seconds after it is due. */
const pollMs = 10 * second;

/** Announces what no event announces: digests, lost streaks and new reviews. */
export interface AnnouncementLoop {
  start(): void;
  /** Resolves when the current round has ended. */
  stop(): Promise<void>;
}

/** One thing to announce if it is due; returns the queue of a new effect, or null. Called again after an error. */
export type AnnouncementTask = () => Promise<string | null>;

export function createAnnouncementLoop(options: {
  /** Called before each round. */
  readonly tasks: () => readonly { readonly name: string; readonly run: AnnouncementTask }[];
  /** Called before each round; nothing runs until it succeeds. */
  readonly prepare: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with the queue of a new effect. */
  readonly onEnqueued: (queue: string) => void;
}): AnnouncementLoop {
  const { tasks, prepare, clock, log, onEnqueued } = options;
  const abortController = new AbortController();
  const { signal } = abortController;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const isPrepared = await attempt('preparation', async () => {
        await prepare();
        return null;
      });
      for (const { name, run: task } of isPrepared ? tasks() : []) {
        if (!signal.aborted) await attempt(name, task);
      }
      await clock.sleep(pollMs, signal);
    }
  }

  async function attempt(name: string, task: AnnouncementTask): Promise<boolean> {
    try {
      const queue = await task();
      if (queue !== null) onEnqueued(queue);
      return true;
    } catch (error) {
      if (!signal.aborted) log.warn({ task: name, reason: messageOf(error) }, 'announcement failed; retrying');
      return false;
    }
  }

  return {
    start() {
      running ??= run();
    },
    async stop() {
      abortController.abort();
      await running;
    },
  };
}
