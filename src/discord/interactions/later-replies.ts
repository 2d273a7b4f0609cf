import type { Clock } from '@tallyhook/platform/clock';
import { minute } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import type { Later, Panel, Reply } from '../commands/reply.ts';

/** "Interaction tokens are valid for 15 minutes", with a margin (ms). */
const maxWaitMs = 14 * minute;
/** Messages that wait at the same time, so that what they poll stays bounded. */
const maxWaiting = 25;

/** Replaces messages once what they wait for has happened. */
export class LaterReplies {
  readonly #options: { readonly clock: Clock; readonly log: Log; readonly stopped: AbortSignal };
  /** How many wait. */
  #waiting = 0;

  /** @param options.stopped ends all waiting */
  constructor(options: { readonly clock: Clock; readonly log: Log; readonly stopped: AbortSignal }) {
    this.#options = options;
  }

  /** Waits in the background, unless too many do. @param replace shows the message; its errors are logged */
  watch(command: string, later: Later, replace: (reply: Reply | Panel) => Promise<unknown>): void {
    const isFull = this.#waiting >= maxWaiting || this.#options.stopped.aborted;
    if (!isFull) void this.#wait(command, later, replace);
  }

  async #wait(command: string, later: Later, replace: (reply: Reply | Panel) => Promise<unknown>): Promise<void> {
    const { clock, log, stopped } = this.#options;
    const ended = new AbortController();
    const signal = AbortSignal.any([stopped, ended.signal]);
    void clock.sleep(maxWaitMs, signal).then(() => ended.abort());
    this.#waiting += 1;
    try {
      const reply = await later(signal);
      if (reply !== null && !signal.aborted) await replace(reply);
    } catch (error) {
      log.warn({ command, reason: messageOf(error) }, 'a reply could not be updated later');
    } finally {
      ended.abort();
      this.#waiting -= 1;
    }
  }
}
