import type { Kysely } from 'kysely';
import type { OwnerActions } from '../../owner/owner-actions.ts';
import type { Connection } from '../dialect/dialect.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** Requeues buried effects, for use inside a transaction of `connection`. */
export function requeueWrites(db: Kysely<Tables>, connection: Connection): Pick<OwnerActions, 'requeueEffect'> {
  return {
    async requeueEffect(effectId, now) {
      const query = db.selectFrom('effects').select('state').where('id', '=', effectId);
      const [effect] = await run(connection, query);
      if (effect === undefined) return 'unknown';
      if (effect.state !== 'buried') return 'not_buried';
      // With the old nonce Discord might drop it as a repeat, and with the old age it might be buried again.
      const initial = { state: 'waiting', attempts: 0, due_at: now, created_at: now } as const;
      await run(
        connection,
        db
          .updateTable('effects')
          .set({ ...initial, finished_at: null, nonce: null, reason: null })
          .where('id', '=', effectId),
      );
      return 'revived';
    },
  };
}
