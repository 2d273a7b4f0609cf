import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { createLoop, type Loop } from '@tallyhook/platform/loop';
import type { QueueName } from '../../core/outbox/queue.ts';
import type { AnnouncementTask } from '../parts.ts';

/** Everything that is announced regularly is announced within a few seconds after it is due. */
const pollMs = 10 * second;

/** Announces what no event announces: digests, lost streaks and new reviews. */
export function createAnnouncementLoop(options: {
  /** Called before each round. */
  readonly tasks: () => readonly AnnouncementTask[];
  /** Called before each round; nothing runs until it succeeds. */
  readonly prepare: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with the queue of a new effect. */
  readonly onEnqueued: (queue: QueueName) => void;
}): Loop {
  const { tasks, prepare, clock, log, onEnqueued } = options;
  function warn(task: string, error: unknown): void {
    log.warn({ task, reason: messageOf(error) }, 'announcement failed; retrying');
  }

  return createLoop({
    async round(signal) {
      await prepare();
      for (const { name, run } of tasks()) {
        if (signal.aborted) return;
        try {
          const queue = await run();
          if (queue !== null) onEnqueued(queue);
        } catch (error) {
          if (!signal.aborted) warn(name, error);
        }
      }
    },
    pauseMs: pollMs,
    onError: (error) => warn('preparation', error),
    clock,
  });
}
