import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { Waiters } from '@tallyhook/platform/with-timeout';

/** A response counts as fresh for this time, so that a repeated command does not send another request (ms). */
const freshForMs = 5 * second;
/** Responses in memory; a few hundred bytes each. */
const maxResponses = 1_000;

/**
 * Requests without a cache. Identical ones within a few seconds share a response; an error is not shared with later
 * ones.
 */
export function requestFresh<Value>(
  fetch: (id: string, signal: AbortSignal) => Promise<Value>,
  clock: Pick<Clock, 'monotonic'>,
): (id: string, signal?: AbortSignal) => Promise<Value> {
  const recent = new BoundedMap<Shared<Value>>(maxResponses);

  function start(id: string): Shared<Value> {
    const waiters = new Waiters();
    const response = fetch(id, waiters.signal);
    const entry = { until: clock.monotonic() + freshForMs, response, waiters };
    recent.set(id, entry);
    response.catch(() => {
      if (recent.get(id) === entry) recent.set(id, { ...entry, until: 0 });
    });
    return entry;
  }

  return async (id, signal) => {
    const known = recent.get(id);
    const isShared = known !== undefined && clock.monotonic() < known.until && !known.waiters.signal.aborted;
    const { response, waiters } = isShared ? known : start(id);
    const leave = waiters.join(signal);
    return response.finally(leave);
  };
}

interface Shared<Value> {
  readonly until: number;
  readonly response: Promise<Value>;
  readonly waiters: Waiters;
}
