import { EventEmitter } from 'node:events';
import { type Clock, systemClock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { TallyhookError } from '@tallyhook/platform/errors';
import { readJsonFile, writeJsonFile } from '@tallyhook/platform/json-file';
import type { Log } from '@tallyhook/platform/log';
import { z } from 'zod';

/**
 * The time inside the sandbox. It starts at the system time plus an offset, may run faster, and can be advanced. It never goes
 * back, because ids and cooldowns depend on it. Only `now()` is simulated: `sleep` and `monotonic` use real time, so timeouts of
 * connections still work.
 */
export interface SandboxClock extends Clock {
  /** Seconds that pass in the sandbox per second of real time. */
  readonly speed: number;
  /** How far it is ahead of the system clock (ms). */
  readonly offsetMs: number;
  /** Advances the clock by `ms`. It wakes no sleepers: they wake after their real time and see a later `now()`. */
  advance(ms: number): void;
  /** `moved` is emitted after each call of `advance`. */
  readonly events: EventEmitter<{ moved: [] }>;
}

interface SandboxClockOptions {
  /** The real clock (default: the system's). */
  readonly real?: Clock | undefined;
  /** Initial lead over the real clock (ms). */
  readonly offsetMs?: number;
  readonly speed?: number | undefined;
  /** Numbers in [0, 1) (default: those of the real clock). */
  readonly random?: (() => number) | undefined;
}

/** @throws TallyhookError `sandbox_clock` if it would stand still or go back */
export function createSandboxClock(options: SandboxClockOptions = {}): SandboxClock {
  const { real = systemClock, speed = 1 } = options;
  if (!(speed >= 1)) throw new TallyhookError('sandbox_clock', 'The speed of the sandbox clock must be at least 1.');
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
    random: options.random ?? (() => real.random()),
    advance(ms) {
      if (!(ms >= 0)) throw new TallyhookError('sandbox_clock', 'The sandbox clock cannot go back.');
      advancedMs += ms;
      events.emit('moved');
    },
  };
}

const clockSchema = z.object({ version: z.literal(1), ahead: z.number().min(0) });

/** How often an accelerated clock is saved (ms): the most real time that a crash can lose. */
const saveIntervalMs = 1 * second;

/**
 * Creates the sandbox's clock with the offset from the file, and saves later offsets to the file.
 *
 * @throws TallyhookError `sandbox_clock` for a speed below 1
 */
export function openSandboxClock(
  path: string,
  log: Log,
  options: Omit<SandboxClockOptions, 'offsetMs'>,
): { readonly clock: SandboxClock; stop(): Promise<void> } {
  const clock = createSandboxClock({ ...options, offsetMs: readJsonFile(path, clockSchema, log)?.ahead ?? 0 });
  const stopping = new AbortController();
  const save = () => writeJsonFile(path, { version: 1, ahead: clock.offsetMs });

  async function savePeriodically(): Promise<void> {
    while (!stopping.signal.aborted) {
      await systemClock.sleep(saveIntervalMs, stopping.signal);
      save();
    }
  }

  // Synchronous, so the new offset is on disk before any event with a later time.
  clock.events.on('moved', save);
  const saving = clock.speed === 1 ? null : savePeriodically();
  return {
    clock,
    async stop() {
      stopping.abort();
      clock.events.off('moved', save);
      await saving;
    },
  };
}
