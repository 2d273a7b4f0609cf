import { collectingLog } from '@tallyhook/platform/testing/collecting-log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { createLookup, type LookupOptions } from '../../src/lookup/client.ts';
import type { LookupEvent } from '../../src/lookup/lookup.ts';
import { LookupError } from '../../src/lookup/lookup-error.ts';
import { memoryKeyv } from '../../src/lookup/memory-keyv.ts';
import { startFakeService } from '../support/fake-service.ts';

/** A lookup client with a fake service, a manual clock, its log messages and its events. */
export async function lookupFixture(options: Partial<LookupOptions> = {}) {
  const service = await startFakeService();
  const clock = manualClock();
  const cache = memoryKeyv();
  const { log, logged } = collectingLog();
  const events: string[] = [];
  const lookupOptions = {
    kind: 'server',
    baseUrl: service.baseUrl,
    key: 'the-key',
    cache,
    clock,
    log,
    observe: ({ event }: LookupEvent) => void events.push(event),
    ...options,
  } as const;
  const restart = () => createLookup(lookupOptions);
  return { service, clock, cache, logged, events, lookup: restart(), restart };
}

export async function lookupErrorOf(lookup: Promise<unknown>): Promise<LookupError> {
  const error = await lookup.then(
    () => new Error('The lookup succeeded.'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof LookupError)) throw error;
  return error;
}
