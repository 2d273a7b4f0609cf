import { systemClock } from '@tallyhook/platform/clock';

/** The clock of Discord as the page knows it. */
export type PageClock = ReturnType<typeof createPageClock>;

/** The clocks of the browser (ms). */
interface BrowserClocks {
  /** The time of day, since the epoch. */
  wall(): number;
  /** Elapsed time, which stands still while the machine sleeps. */
  monotonic(): number;
}

const browserClocks: BrowserClocks = { wall: systemClock.now, monotonic: systemClock.monotonic };

/**
 * Between two synchronizations, the time is that of the server's clock on the same machine: the time of day, and for a higher
 * speed the elapsed time besides.
 */
export function createPageClock({ wall, monotonic }: BrowserClocks = browserClocks) {
  let reference = { now: 0, speed: 1, wall: 0, monotonic: 0 };
  const now = () =>
    reference.now + (wall() - reference.wall) + (monotonic() - reference.monotonic) * (reference.speed - 1);
  return {
    /** The current time on Discord (ms since the epoch). */
    now,
    /** How far it is ahead of the system clock (ms). */
    offsetMs: () => now() - wall(),
    /** Synchronizes with the server. @param time `now` in ms since the epoch */
    set(time: { readonly now: number; readonly speed: number }) {
      reference = { now: time.now, speed: time.speed, wall: wall(), monotonic: monotonic() };
    },
  };
}
