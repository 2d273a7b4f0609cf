import type { Clock } from '../clock.ts';
import { second } from '../durations.ts';
import type { LeaseHolder } from './lease-store.ts';

/** A holder that was watched for this time without a beat is dead. */
export const holderTtlMs = 10 * second;

/**
 * Watches the beats of holders, by the monotonic clock of this process. Call it with the holders just read. Returns the
 * ids of the `live` ones, including the own one, the `dead` ones, and the time until another one may be dead
 * (`nextCheckMs`; infinite without others).
 */
export function createHolderWatch(clock: Pick<Clock, 'monotonic'>) {
  let seen = new Map<string, { readonly beat: number; readonly since: number }>();

  return (holders: readonly LeaseHolder[], ownId: string) => {
    const now = clock.monotonic();
    const previous = seen;
    seen = new Map();
    const live = [ownId];
    const dead: LeaseHolder[] = [];
    let nextCheckMs = Number.POSITIVE_INFINITY;
    for (const holder of holders) {
      const { id, beat } = holder;
      if (id === ownId) continue;
      const last = previous.get(id);
      const since = last?.beat === beat ? last.since : now;
      seen.set(id, { beat, since });
      const remainingMs = since + holderTtlMs - now;
      if (remainingMs <= 0) {
        dead.push(holder);
      } else {
        live.push(id);
        nextCheckMs = Math.min(nextCheckMs, remainingMs);
      }
    }
    return { live, dead, nextCheckMs };
  };
}
