import { z } from 'zod';
import { systemClock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { openJsonFile, readJsonFile } from './json-file.ts';
import type { Tour } from './page/ports.ts';

const tourSchema = z.object({ version: z.literal(1), done: z.array(z.string()) });

/** The steps of "Try this" that were done, from a file to which later ones are written. */
export function openTour(path: string, log: Log): { readonly tour: Tour; stop(): Promise<void> } {
  const done = new Set(readJsonFile(path, tourSchema, log)?.done);
  const snapshot = () => ({ version: 1, done: [...done] });
  const file = openJsonFile({ path, snapshot, stopwatch: systemClock, log });
  return {
    tour: {
      get done() {
        return [...done];
      },
      finish(step) {
        done.add(step);
        file.scheduleWrite();
      },
    },
    stop: () => file.stop(),
  };
}
