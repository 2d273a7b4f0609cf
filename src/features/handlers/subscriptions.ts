import type { Clock } from '@tallyhook/platform/clock';
import { day, hour } from '@tallyhook/platform/durations';
import { type HandlerKind, handlerKinds } from '../../core/outbox/handler-events.ts';
import type { StoredSubscriptions } from './store.ts';

/** How long events are stored for a handler whose process is not running (ms). */
const keptMs = 7 * day;
/** How often a process repeats that it has its handlers (ms). */
const renewalMs = hour;

/**
 * The kinds of handlers for which events are stored.
 * @param own the kinds that this process has
 * @param store null if there can be no other processes
 */
export function createSubscriptions(
  own: readonly HandlerKind[],
  store: StoredSubscriptions | null,
  clock: Pick<Clock, 'now' | 'monotonic'>,
) {
  let kinds = own;
  let renewAt = Number.NEGATIVE_INFINITY;
  return {
    /** As of the last refresh. The same array as long as they are the same. */
    kinds: () => kinds,
    /** Announces the process's own kinds to other processes, if it is time to, and reads theirs. */
    async refresh(): Promise<void> {
      if (store === null) return;
      const now = clock.now();
      if (own.length > 0 && clock.monotonic() >= renewAt) {
        await store.renew(own, now);
        renewAt = clock.monotonic() + renewalMs;
      }
      const renewed = await store.renewedSince(now - keptMs);
      const next = handlerKinds.filter((kind) => own.includes(kind) || renewed.includes(kind));
      if (next.join() !== kinds.join()) kinds = next;
    },
  };
}
