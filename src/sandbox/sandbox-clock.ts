import { EventEmitter } from 'node:events';
import { type Clock, systemClock } from '../platform/clock.ts';
import { TallyhookError } from '../platform/errors.ts';

/**
 * The time inside the sandbox: it begins at the machine's, may run faster, and can be moved on. It never goes back, for ids and
 * cooldowns rest on it. Only what is read from it is the sandbox's time: whoever sleeps sleeps as long as he said, by the machine's
 * clock, and monotonic time is the machine's, so that a deadline of a connection stays one that a connection can keep.
 */
export interface SandboxClock extends Clock {
  /** How many seconds pass in the sandbox while one passes outside. */
  readonly speed: number;
  /** How far it is ahead of the machine's clock (ms). */
  readonly offsetMs: number;
  /** Moves it on by `ms`. Nobody is woken: what sleeps wakes in its own time and finds that it is later. */
  advance(ms: number): void;
  /** Tells when it was moved. */
  readonly events: EventEmitter<{ moved: [] }>;
}

export interface SandboxClockOptions {
  /** The clock outside; the machine's unless given. */
  readonly real?: Clock;
  /** How far ahead it begins (ms). */
  readonly offsetMs?: number;
  readonly speed?: number;
  /** Numbers in [0, 1); those of the real clock unless given. */
  readonly chance?: () => number;
}

/** @throws TallyhookError `sandbox_clock` when it would stand still or go back. */
export function createSandboxClock(options: SandboxClockOptions = {}): SandboxClock {
  const { real = systemClock, speed = 1 } = options;
  if (!(speed >= 1)) throw new TallyhookError('sandbox_clock', 'The clock of the sandbox cannot be slowed down.');
  const startedAt = real.monotonic();
  const events = new EventEmitter<{ moved: [] }>();
  let advancedMs = Math.max(0, options.offsetMs ?? 0);

  function now(): number {
    return Math.floor(real.now() + advancedMs + (real.monotonic() - startedAt) * (speed - 1));
  }

  return {
    speed,
    events,
    now,
    monotonic: () => real.monotonic(),
    get offsetMs() {
      return now() - real.now();
    },
    sleep: (ms, signal) => real.sleep(ms, signal),
    random: options.chance ?? (() => real.random()),
    advance(ms) {
      if (!(ms >= 0)) throw new TallyhookError('sandbox_clock', 'The clock of the sandbox only goes forward.');
      advancedMs += ms;
      events.emit('moved');
    },
  };
}
