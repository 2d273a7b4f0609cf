import { z } from 'zod';
import { type Clock, systemClock } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';
import type { Log } from '../platform/log.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';
import { createSandboxClock, type SandboxClock } from './sandbox-clock.ts';

const clockSchema = z.object({ version: z.literal(1), ahead: z.number().min(0) });

/** How often an accelerated clock is saved (ms): the most real time that a crash can lose. */
const saveIntervalMs = 1 * second;

/**
 * Creates the sandbox's clock with the offset from the file, and saves later offsets to the file.
 *
 * @throws TallyhookError `sandbox_clock` for a speed below 1
 */
export function openSandboxClock(options: {
  path: string;
  /** Default: the system's. */
  real: Clock | undefined;
  speed: number | undefined;
  /** Pseudorandom numbers in [0, 1); default: the system's. */
  random: (() => number) | undefined;
  log: Log;
}): { readonly clock: SandboxClock; stop(): Promise<void> } {
  const { path, real, speed, random, log } = options;
  const clock = createSandboxClock({
    offsetMs: readJsonFile(path, clockSchema, log)?.ahead ?? 0,
    ...(real === undefined ? {} : { real }),
    ...(speed === undefined ? {} : { speed }),
    ...(random === undefined ? {} : { random }),
  });
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
