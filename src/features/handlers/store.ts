import type { Clock } from '@tallyhook/platform/clock';
import { day, hour } from '@tallyhook/platform/durations';
import { type HandlerKind, handlerKinds } from '../../core/outbox/handler-events.ts';
import { run, upsert } from '../../core/store/query-builder.ts';
import type { Sql, SqlClient } from '../../core/store/sql-module.ts';

/* Which kinds of handlers the processes have. Times are ms since the epoch. */

export const reads = {
  /** The kinds that were renewed at the time or later; also those of newer versions. */
  async renewedSince({ db, connection }: Sql, since: number): Promise<readonly string[]> {
    const kinds = db.selectFrom('handler_subscriptions').select('kind').where('renewed_at', '>=', since);
    return (await run(connection, kinds)).map(({ kind }) => kind);
  },
};

export const writes = {
  /** In the order of their names, so that no process waits for another in a circle. */
  async renew(sql: Sql, kinds: readonly string[], renewed_at: number): Promise<void> {
    for (const kind of kinds.toSorted()) await upsert(sql, 'handler_subscriptions', { kind }, { renewed_at });
  },
};

/** The kinds of handlers that processes have, in the database. */
export type StoredSubscriptions = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;

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
