import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import type { OwnerActions } from '../../records/owner-actions.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** Requeues buried effects, for use inside a transaction of `connection`. */
export function requeueWrites(db: Kysely<Tables>, connection: Connection): Pick<OwnerActions, 'requeueEffect'> {
  return {
    async requeueEffect(effectId, now) {
      // With the old nonce Discord might drop it as a repeat, and with the old age it might be buried again.
      const initial = { state: 'waiting', attempts: 0, due_at: now, created_at: now } as const;
      const requeued = await run(
        connection,
        db
          .updateTable('effects')
          .set({ ...initial, finished_at: null, nonce: null, reason: null })
          .where('id', '=', effectId)
          .where('state', '=', 'buried')
          .returning('id'),
      );
      if (requeued.length > 0) return 'revived';
      const effects = await run(connection, db.selectFrom('effects').select('id').where('id', '=', effectId));
      return effects.length > 0 ? 'not_buried' : 'unknown';
    },
  };
}
