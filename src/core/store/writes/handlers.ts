import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** Subscriptions of handlers, for use inside a transaction of `connection`. */
export function handlerWrites(db: Kysely<Tables>, connection: Connection) {
  return {
    /** In the order of their names, so that no process waits for another in a circle. */
    async renewHandlers(kinds: readonly string[], renewed_at: number): Promise<void> {
      for (const kind of kinds.toSorted()) {
        const insert = db.insertInto('handler_subscriptions').values({ kind, renewed_at });
        await run(
          connection,
          insert.onConflict((conflict) => conflict.column('kind').doUpdateSet({ renewed_at })),
        );
      }
    },
  };
}
