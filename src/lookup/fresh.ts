import { BoundedMap } from '../platform/bounded-map.ts';
import type { Clock } from '../platform/clock.ts';
import { second } from '../platform/durations.ts';

/** A response counts as fresh for this time, so that a repeated command does not send another request (ms). */
const freshForMs = 5 * second;
/** Responses in memory; a few hundred bytes each. */
const maxResponses = 1_000;

/**
 * Requests without a cache. Identical ones within a few seconds share a response; an error is not shared with later
 * ones.
 */
export function requestFresh<Value>(
  fetch: (id: string) => Promise<Value>,
  clock: Pick<Clock, 'monotonic'>,
): (id: string) => Promise<Value> {
  const recent = new BoundedMap<{ readonly until: number; readonly response: Promise<Value> }>(maxResponses);
  return (id) => {
    const known = recent.get(id);
    if (known !== undefined && clock.monotonic() < known.until) return known.response;
    const response = fetch(id);
    const entry = { until: clock.monotonic() + freshForMs, response };
    recent.set(id, entry);
    response.catch(() => {
      if (recent.get(id) === entry) recent.set(id, { ...entry, until: 0 });
    });
    return response;
  };
}
