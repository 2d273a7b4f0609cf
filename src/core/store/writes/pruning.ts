import type { Kysely, Selectable } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import type { Pruned } from '../../tally/pruning-store.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { literal, run } from '../query-builder.ts';
import { deliveryColumns } from '../reads/search-deliveries.ts';
import type { Tables } from '../tables.ts';
import { lock } from './lock.ts';

/** A lease that ends later than this was written by a clock that was ahead (ms). */
const maxLeaseMs = 3_600_000;

/** Deletes what is not needed any more, for use inside a transaction of `connection`. */
export function pruningWrites(
  db: Kysely<Tables>,
  connection: Connection,
  { reusesShortenedRows }: Pick<Dialect, 'reusesShortenedRows'>,
) {
  async function positionOf(name: Tables['pruning']['name']): Promise<number> {
    await lock(connection, db, `pruning ${name}`);
    const row = db.selectFrom('pruning').select('position').where('name', '=', name);
    return (await run(connection, row))[0]?.position ?? 0;
  }

  async function setPosition(name: Tables['pruning']['name'], position: number): Promise<void> {
    const insert = db.insertInto('pruning').values({ name, position, leased_until: 0 });
    await run(
      connection,
      insert.onConflict((conflict) => conflict.column('name').doUpdateSet({ position })),
    );
  }

  async function emptyBodies(rows: readonly Selectable<Tables['deliveries']>[]): Promise<void> {
    const ids = rows.map(({ id }) => id);
    if (reusesShortenedRows) {
      // No delivery returns into the quarantine.
      await run(connection, db.updateTable('deliveries').set({ body: '' }).where('id', 'in', ids));
      return;
    }
    // Nobody else writes during the transaction.
    await run(connection, db.deleteFrom('deliveries').where('id', 'in', ids));
    await run(connection, db.insertInto('deliveries').values(rows.map((row) => ({ ...row, body: '' }))));
  }

  return {
    /** Whether this process may prune until then; otherwise another one does. Extends the lease of the same holder. */
    async leasePruning(now: number, heldUntil: number | null, until: number): Promise<boolean> {
      await lock(connection, db, 'pruning bodies');
      const [row] = await run(
        connection,
        db.selectFrom('pruning').select(['position', 'leased_until']).where('name', '=', 'bodies'),
      );
      const leasedUntil = row?.leased_until ?? 0;
      const isFree = leasedUntil <= now || leasedUntil > now + maxLeaseMs || leasedUntil === heldUntil;
      if (!isFree) return false;
      const insert = db.insertInto('pruning').values({ name: 'bodies', position: 0, leased_until: until });
      await run(
        connection,
        insert.onConflict((conflict) => conflict.column('name').doUpdateSet({ leased_until: until })),
      );
      return true;
    },

    async pruneBodies(receivedBefore: number, limit: number): Promise<Pruned> {
      const position = await positionOf('bodies');
      const deliveries = db.selectFrom('deliveries').select(deliveryColumns);
      const rows = await run(connection, deliveries.where('id', '>', position).orderBy('id').limit(limit));
      const old = rows.filter(({ received_at: receivedAt }) => receivedAt < receivedBefore);
      const withBody = old.filter(({ outcome, body }) => outcome !== 'quarantined' && body !== '');
      if (withBody.length > 0) await emptyBodies(withBody);
      const last = old.at(-1);
      if (last !== undefined) await setPosition('bodies', last.id);
      return { pruned: withBody.length, hasMore: rows.length === limit && last !== undefined };
    },

    async pruneEffects(finishedBefore: number, limit: number): Promise<Pruned> {
      const position = await positionOf('effects');
      const counted = db.selectFrom('counters').select('value').where('name', '=', 'effects below');
      const [{ value: below } = { value: 0 }] = await run(connection, counted);
      // Only counted effects; and never the newest one, whose id SQLite would use again.
      const effects = db.selectFrom('effects').select(['id', 'state', 'created_at', 'finished_at']);
      const rows = await run(
        connection,
        effects
          .where('id', '>', position)
          .where('id', '<', below)
          .where((eb) =>
            eb(
              'id',
              '<',
              db.selectFrom('effects').select(({ fn }) => fn.max('id').as('newest')),
            ),
          )
          .orderBy('id')
          .limit(limit),
      );
      const ids = rows
        .filter(({ state, finished_at: at }) => state === 'done' && at !== null && at < finishedBefore)
        .map(({ id }) => id);
      if (ids.length > 0) {
        const done = db.deleteFrom('effects').where('id', 'in', ids).where('state', '=', literal('done'));
        await run(connection, done);
      }
      const last = rows.at(-1);
      const hasMore = rows.length === limit && rows.some(({ created_at: createdAt }) => createdAt < finishedBefore);
      // The next round begins again, since effects may have been done after their turn.
      await setPosition('effects', hasMore && last !== undefined ? last.id : 0);
      return { pruned: ids.length, hasMore };
    },
  };
}
