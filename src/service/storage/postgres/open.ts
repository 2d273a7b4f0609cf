import { systemClock as clock } from '../../../platform/clock.ts';
import { runMigrations } from '../../../platform/database/migrations/migrate.ts';
import { connection, createTransactions, readInTransaction } from '../../../platform/database/postgres-connection.ts';
import { postgresDialect } from '../../../platform/database/postgres-dialect.ts';
import { createMigratingConnection } from '../../../platform/database/postgres-migrating.ts';
import { createPool } from '../../../platform/database/postgres-pool.ts';
import type { OpenOptions, PostgresEngine } from '../engine.ts';
import { migrations } from '../migrations/index.ts';
import { createDriver } from './driver.ts';
import { asStoreError, timeouts } from './errors.ts';
import { readRows } from './read.ts';
import { createRecordVote } from './record-votes.ts';
import { storable } from './storable.ts';

/** Two pools, so that lookups do not wait for transactions. */
const maxWritingConnections = 8;
const maxReadingConnections = 4;
/** How often a transaction runs that is in conflict with others. */
const maxRuns = 5;

/**
 * Opens a database of a PostgreSQL server and runs the missing migrations. Works through PgBouncer in transaction mode:
 * no startup parameters except user and database, and no session state.
 */
export async function openPostgresEngine(url: string, { onMigration }: OpenOptions): Promise<PostgresEngine> {
  // In a burst, requests wait for a connection, and one that was counted must not fail because of that.
  const options = { numericAsNumber: true, connectTimeoutMs: timeouts.statementMs };
  const pool = createPool(url, maxWritingConnections, options);
  const readingPool = createPool(url, maxReadingConnections, options);
  const close = async () => void (await Promise.all([pool.end(), readingPool.end()]));
  try {
    const database = {
      ...postgresDialect,
      reading: connection((text, values) => readInTransaction(readingPool, text, values)),
      migrating: createMigratingConnection(pool),
    };
    await runMigrations(database, clock, migrations(postgresDialect), { onProgress: onMigration });
  } catch (error) {
    await close();
    throw error;
  }
  const transact: PostgresEngine['transact'] = async (work) => {
    for (let run = 1; ; run += 1) {
      const transaction = createTransactions(pool, timeouts);
      try {
        await transaction.begin();
        const result = await work({
          ...transaction,
          execute: ({ sql, parameters }) => transaction.execute({ sql, parameters: storable(parameters) }),
          send: ({ sql, parameters }) => transaction.send({ sql, parameters: storable(parameters) }),
        });
        await transaction.commit();
        return result;
      } catch (error) {
        await transaction.rollback();
        if (run >= maxRuns || !postgresDialect.isBusy(error)) throw asStoreError(error);
      }
    }
  };
  return {
    name: 'postgres',
    connections: () => ({
      open: pool.totalCount + readingPool.totalCount,
      idle: pool.idleCount + readingPool.idleCount,
      waiting: pool.waitingCount + readingPool.waitingCount,
    }),
    dialect: postgresDialect,
    driver: createDriver({ pool, readingPool }),
    recordVote: createRecordVote({ transact }),
    read: async (text, parameters) => (await readRows(readingPool, text, parameters)).rows,
    transact,
    close,
  };
}
