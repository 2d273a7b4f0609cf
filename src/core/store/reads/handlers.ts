import type { Kysely } from 'kysely';
import type { LedgerStore } from '../../../features/handlers/ledger.ts';
import type { SubscriptionStore } from '../../../features/handlers/subscriptions.ts';
import type { Connection } from '../../../platform/database/dialect.ts';
import { run } from '../query-builder.ts';
import { selectCorrections, toCorrection } from '../recording/queries.ts';
import type { Tables } from '../tables.ts';
import type { Write } from '../writes/writes.ts';

/** What handlers need, over SQL. */
export interface HandlerStores {
  readonly handlerSubscriptions: SubscriptionStore;
  readonly ledgerStore: LedgerStore;
}

export function sqlHandlerStores(db: Kysely<Tables>, reading: Connection, write: Write): HandlerStores {
  return {
    handlerSubscriptions: {
      renew: (kinds, now) => write('renewHandlers', kinds, now),
      async renewedSince(since) {
        const kinds = db.selectFrom('handler_subscriptions').select('kind').where('renewed_at', '>=', since);
        return (await run(reading, kinds)).map(({ kind }) => kind);
      },
    },
    ledgerStore: {
      correct: (correction, idempotencyKey) => write('correct', correction, idempotencyKey),
      async findCorrection(idempotencyKey) {
        const [row] = await run(reading, selectCorrections(db, [idempotencyKey]));
        return row === undefined ? null : toCorrection(row);
      },
    },
  };
}
