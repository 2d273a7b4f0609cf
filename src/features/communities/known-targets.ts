import type { Clock } from '../../platform/clock.ts';
import { hour } from '../../platform/durations.ts';
import type { Directory } from './directory.ts';
import type { ListingTargets } from './listing-targets.ts';

/** How often the cache is read for the id of a listing that is not known (ms). */
const recallMs = hour;

/**
 * The Discord id of the server or bot that a listing is; null if it is not known. Sends no request, and waits for
 * nothing: what the cache has is returned from the next call on.
 */
export function createKnownTargets(options: {
  readonly directory: Pick<Directory, 'find'>;
  readonly targets: Pick<ListingTargets, 'targetOf' | 'recall'>;
  readonly clock: Clock;
}): (listing: string) => string | null {
  const { directory, targets, clock } = options;
  const recalledAt = new Map<string, number>();
  return (name) => {
    const listing = directory.find(name);
    if (listing === undefined) return null;
    const target = targets.targetOf(listing);
    if (target.isKnown) return target.id;
    const { lookupKey } = listing;
    if (lookupKey === null || clock.monotonic() - (recalledAt.get(name) ?? -recallMs) < recallMs) return null;
    recalledAt.set(name, clock.monotonic());
    void targets.recall(listing);
    return null;
  };
}
