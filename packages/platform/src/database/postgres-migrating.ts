import type pg from 'pg';
import type { MigratingConnection } from './dialect.ts';
import { codeOf, createTransactions } from './postgres-connection.ts';

/**
 * The errors of two processes that create the table of locks at the same time: unique violation, duplicate table, and
 * duplicate object, for the type of its rows.
 */
const createdMeanwhile: readonly string[] = ['23505', '42P07', '42710'];

/** How long one attempt to take the lock waits; the migration runner retries (ms). */
const lockTimeoutMs = 500;

/**
 * The connection of migrations. Their lock is a row, because not every database of PostgreSQL's family has advisory
 * locks.
 */
export function createMigratingConnection(pool: pg.Pool): MigratingConnection {
  const transactions = createTransactions(pool, { statementMs: null, lockMs: lockTimeoutMs });
  let hasLockRow = false;
  return {
    ...transactions,
    async begin() {
      if (!hasLockRow) await createLockRow(pool);
      hasLockRow = true;
      await transactions.begin();
      await transactions.run({ sql: "SELECT name FROM locks WHERE name = 'migrations' FOR UPDATE", parameters: [] });
    },
    release: async () => {},
  };
}

/** Outside a transaction, so that other processes see it. */
async function createLockRow(pool: pg.Pool): Promise<void> {
  try {
    await pool.query('CREATE TABLE IF NOT EXISTS locks (name text PRIMARY KEY NOT NULL)');
  } catch (error) {
    if (!createdMeanwhile.includes(codeOf(error))) throw error;
  }
  await pool.query("INSERT INTO locks (name) VALUES ('migrations') ON CONFLICT DO NOTHING");
}
