import type { Clock } from './clock.ts';

/** A part of the program that works in the background. */
export interface Loop {
  /** Does nothing if it was started before. */
  start(): void;
  /** Resolves when the current round has ended. */
  stop(): Promise<void>;
}

/** A loop whose next round can be brought forward. */
export interface WakeableLoop extends Loop {
  /** Ends the current pause. */
  wake(): void;
}

/**
 * Repeats `round` until it is stopped, with a pause after each that does not return true, for more to do. An error ends
 * the round alone.
 * @param options.pauseMs between two rounds, or what returns it after each round (ms)
 * @param options.onError called with what a round threw, unless the loop is stopping; `isRepeated` if the last round
 *   failed too
 */
export function createLoop(options: {
  readonly round: (signal: AbortSignal) => Promise<unknown>;
  readonly pauseMs: number | (() => number);
  readonly onError: (error: unknown, isRepeated: boolean) => void;
  readonly clock: Pick<Clock, 'sleep'>;
}): WakeableLoop {
  const { round, pauseMs, onError, clock } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let pause = new AbortController();
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    let isFailing = false;
    while (!signal.aborted) {
      pause = new AbortController();
      const hasMore = await round(signal).then(
        (result) => {
          isFailing = false;
          return result === true;
        },
        (error: unknown) => {
          if (!signal.aborted) onError(error, isFailing);
          isFailing = true;
          return false;
        },
      );
      if (hasMore) continue;
      await clock.sleep(typeof pauseMs === 'number' ? pauseMs : pauseMs(), AbortSignal.any([signal, pause.signal]));
    }
  }

  return {
    start() {
      running ??= run();
    },
    // Called for each event: without a reason it would create an error.
    wake: () => pause.abort('woken'),
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
