import { systemClock } from '@tallyhook/platform/clock';
import { day, formatCount, formatWait, hour, minute } from '@tallyhook/platform/durations';

/** The sandbox clock as the page knows it. */
export type SandboxTime = ReturnType<typeof createSandboxTime>;

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
export function createSandboxTime({ wall, monotonic }: BrowserClocks = browserClocks) {
  let reference = { now: 0, speed: 1, wall: 0, monotonic: 0 };
  const now = () =>
    reference.now + (wall() - reference.wall) + (monotonic() - reference.monotonic) * (reference.speed - 1);
  return {
    /** The current time in the sandbox (ms since the epoch). */
    now,
    /** How far it is ahead of the system clock (ms). */
    offsetMs: () => now() - wall(),
    /** Synchronizes with the server. @param time `now` in ms since the epoch */
    set(time: { readonly now: number; readonly speed: number }) {
      reference = { now: time.now, speed: time.speed, wall: wall(), monotonic: monotonic() };
    },
  };
}

/**
 * How far a clock is ahead, to the minute, and to the hour from two days on: "12 hours", "1½ days", "3 days 5 hours". Null for
 * less than half a minute.
 *
 * @param lead ms
 */
export function formatLead(lead: number): string | null {
  const unit = lead < 2 * day ? minute : hour;
  const rounded = Math.round(lead / unit) * unit;
  if (rounded <= 0) return null;
  if (rounded < day) return formatWait(rounded);
  const [days, rest] = [Math.floor(rounded / day), rounded % day];
  if (rest === day / 2) return `${days}½ days`;
  const whole = formatCount(days, 'day');
  return rest === 0 ? whole : `${whole} ${formatWait(rest)}`;
}
