import { BoundedMap } from '@tallyhook/platform/bounded-map';
import { Keyv, KeyvMemoryAdapter } from 'keyv';

/** The namespace of all entries, in each kind of cache. */
export const namespace = 'tallyhook';

/** About 5 MB of vote statuses: more than a busy community requests in a week. */
const maxEntriesInMemory = 10_000;

/** A cache in memory. When it is full, the oldest entry is deleted. */
export function memoryKeyv(maxEntries: number = maxEntriesInMemory): Keyv {
  return new Keyv({ store: new KeyvMemoryAdapter(new BoundedMap(maxEntries)), namespace });
}
