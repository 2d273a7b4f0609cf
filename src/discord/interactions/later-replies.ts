import type { Clock } from '@tallyhook/platform/clock';
import { minute } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import type { CommandInput } from '../commands/input.ts';
import type { Later, Panel, Reply } from '../commands/reply.ts';
import { responseKind } from './responses.ts';

/** "Interaction tokens are valid for 15 minutes", with a margin (ms). */
const maxWaitMs = 14 * minute;
/** Messages that wait at the same time, so that what they poll stays bounded. */
const maxWaiting = 25;

/** Replaces messages once what they wait for has happened. @param options.stopped ends all waiting */
export function createLaterReplies(options: {
  readonly clock: Clock;
  readonly log: Log;
  readonly stopped: AbortSignal;
}) {
  const { clock, log, stopped } = options;
  let waiting = 0;

  async function wait(later: Later, replace: (reply: Reply | Panel) => Promise<unknown>): Promise<void> {
    const ended = new AbortController();
    const signal = AbortSignal.any([stopped, ended.signal]);
    void clock.sleep(maxWaitMs, signal).then(() => ended.abort());
    try {
      const reply = await later(signal);
      if (reply !== null && !signal.aborted) await replace(reply);
    } finally {
      ended.abort();
    }
  }

  return {
    /**
     * Waits in the background if the reply does. A new message after a deferral cannot be replaced.
     * @param replace shows the message; its errors are logged
     */
    watch(
      command: string,
      reply: Reply | Panel,
      { input, isDeferred }: { readonly input: CommandInput; readonly isDeferred: boolean },
      replace: (reply: Reply | Panel) => Promise<unknown>,
    ): void {
      const { later } = reply;
      const isReplaceable = !isDeferred || input.action === null || responseKind(reply, input) === 'update';
      if (later === undefined || !isReplaceable || waiting >= maxWaiting || stopped.aborted) return;
      waiting += 1;
      wait(later, replace)
        .catch((error: unknown) =>
          log.warn({ command, reason: messageOf(error) }, 'a reply could not be updated later'),
        )
        .finally(() => {
          waiting -= 1;
        });
    },
  };
}
