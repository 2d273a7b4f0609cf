import { createLookup, type LookupOptions } from '../../src/lookup/client.ts';
import type { LookupEvent } from '../../src/lookup/events.ts';
import { LookupError } from '../../src/lookup/failures.ts';
import { memoryKeyv } from '../../src/lookup/open-keyv.ts';
import { createLog } from '../../src/platform/log.ts';
import { manualClock } from '../support/manual-clock.ts';
import { pretendService } from './pretend-service.ts';

/** A lookup client on a pretended service and a clock that stands still, with all that it tells. */
export async function asking(options: Partial<LookupOptions> = {}) {
  const service = await pretendService();
  const clock = manualClock();
  const cache = memoryKeyv();
  const told: { level: number; code: string; msg: string; cure?: string }[] = [];
  const log = createLog({
    level: 'info',
    secrets: [],
    destination: { write: (line) => void told.push(JSON.parse(line)) },
  });
  const seen: string[] = [];
  const observe = (observation: LookupEvent) => void seen.push(observation.event);
  const given = {
    kind: 'server',
    baseUrl: service.baseUrl,
    key: 'the-key',
    cache,
    clock,
    log,
    observe,
    ...options,
  } as const;
  return { service, clock, cache, told, seen, lookup: createLookup(given), again: () => createLookup(given) };
}

export async function failureOf(work: Promise<unknown>): Promise<LookupError> {
  const thrown = await work.then(
    () => new Error('it succeeded'),
    (error: unknown) => error,
  );
  if (!(thrown instanceof LookupError)) throw thrown;
  return thrown;
}
