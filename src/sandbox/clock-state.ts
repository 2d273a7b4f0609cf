import { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';
import type { Log } from '../platform/log.ts';
import { readJsonFile, writeJsonFile } from './json-file.ts';
import type { SandboxClock } from './sandbox-clock.ts';

const clockSchema = z.object({ version: z.literal(1), ahead: z.number().min(0) });

/** How often a clock that runs by itself is written down (ms): it must not go back by much after a crash. */
const writeIntervalMs = 1 * second;

/** How far ahead the clock was when it was last heard of (ms). */
export function readClockOffset(path: string, log: Log): number {
  return readJsonFile(path, clockSchema, log)?.ahead ?? 0;
}

/** Keeps a file up to date with the clock. */
export function persistClock(options: { path: string; clock: SandboxClock; stopwatch: Clock }): {
  stop(): Promise<void>;
} {
  const { path, clock, stopwatch } = options;
  const stopping = new AbortController();
  const write = () => writeJsonFile(path, { version: 1, ahead: clock.offsetMs });

  async function writePeriodically(): Promise<void> {
    while (!stopping.signal.aborted) {
      await stopwatch.sleep(writeIntervalMs, stopping.signal);
      write();
    }
  }

  // Before anything else can take place at the later time.
  clock.events.on('moved', write);
  const writing = clock.speed === 1 ? null : writePeriodically();
  return {
    async stop() {
      stopping.abort();
      clock.events.off('moved', write);
      await writing;
    },
  };
}
