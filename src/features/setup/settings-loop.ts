import type { Clock } from '../../platform/clock.ts';
import { second } from '../../platform/durations.ts';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';

/** How often to look for changes of other processes (ms). It reads one row. */
const pollMs = 2 * second;

/** Applies the changes of settings that other processes have saved. */
export interface SettingsLoop {
  start(): void;
  /** Looks for changes at once. */
  nudge(): void;
  /** Resolves when the current look has ended. */
  stop(): Promise<void>;
}

export function createSettingsLoop(options: {
  readonly refresh: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}): SettingsLoop {
  const { refresh, clock, log } = options;
  const abortController = new AbortController();
  const { signal } = abortController;
  let wake = new AbortController();
  let running: Promise<void> | undefined;
  let isFailing = false;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      wake = new AbortController();
      try {
        await refresh();
        isFailing = false;
      } catch (error) {
        if (!isFailing && !signal.aborted) {
          log.warn({ reason: messageOf(error) }, 'changed settings could not be read; retrying');
        }
        isFailing = true;
      }
      await clock.sleep(pollMs, AbortSignal.any([signal, wake.signal]));
    }
  }

  return {
    start() {
      running ??= run();
    },
    nudge: () => wake.abort(),
    async stop() {
      abortController.abort();
      await running;
    },
  };
}
