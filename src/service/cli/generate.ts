import { systemClock } from '../../platform/clock.ts';
import { exitCode, type Terminal, UsageError } from '../../platform/terminal/terminal.ts';
import { generate } from '../generate/generate.ts';
import { isPossible, type Population } from '../generate/rows.ts';
import type { Database } from '../storage/database.ts';

const progressIntervalMs = 1_000;

/** `tallyhook service generate`: prints a JSON line per listing, and the progress as errors. */
export async function generateCommand(
  database: Database,
  values: { readonly [Name in keyof Population]: string },
  { print, printError, stop }: Terminal,
): Promise<number> {
  const population = {
    listings: readCount(values.listings, '--listings'),
    members: readCount(values.members, '--members'),
    votes: readCount(values.votes, '--votes'),
    reviews: readCount(values.reviews, '--reviews'),
  };
  if (!isPossible(population))
    throw new UsageError('There are too few listings or members for these votes and reviews.');
  const startedAt = systemClock.monotonic();
  let lastProgressAt = startedAt;
  const rows = await generate(database, {
    population,
    now: systemClock.now(),
    signal: stop,
    onListing: (listing) => print(JSON.stringify(listing)),
    onProgress(stored, total) {
      const now = systemClock.monotonic();
      if (now - lastProgressAt < progressIntervalMs) return;
      lastProgressAt = now;
      printError(`${Math.floor((100 * stored) / Math.max(1, total))} %: ${stored.toLocaleString('en-US')} rows`);
    },
  });
  const seconds = (systemClock.monotonic() - startedAt) / 1_000;
  const rate = Math.round(rows / seconds).toLocaleString('en-US');
  printError(`${rows.toLocaleString('en-US')} rows in ${seconds.toFixed(1)} s, ${rate} per second.`);
  if (!stop.aborted) return exitCode.ok;
  printError('Stopped: what was stored so far is complete in itself.');
  return exitCode.runtimeError;
}

function readCount(value: string, option: string): number {
  const count = Number(value);
  if (/^\d{1,10}$/.test(value)) return count;
  throw new UsageError(`${option} must be an integer.`);
}
