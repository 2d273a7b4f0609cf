import { type Clock, systemClock } from '../../src/clock.ts';

export interface LaterClock extends Clock {
  /** Lets so many ms pass at once. */
  pass(ms: number): void;
}

/** The machine's time, which can also be made later. */
export function laterClock(): LaterClock {
  let later = 0;
  return {
    ...systemClock,
    now: () => systemClock.now() + later,
    pass(ms) {
      later += ms;
    },
  };
}
