import type { Query, Transactions } from './dialect.ts';

/* Apart from their implementation, whose declarations need those of `pg`. */

export interface TransactionTimeouts {
  /** For each statement, and for a pause between two; null for no timeout. */
  readonly statementMs: number | null;
  /** For an attempt to take a lock (ms). */
  readonly lockMs: number;
}

/** Transactions on connections of the pool, one after the other. */
export interface PostgresTransactions extends Transactions {
  /** Runs a statement and returns its rows and their number. */
  execute(query: Query): Promise<{ readonly rows: object[]; readonly rowCount: number | null }>;
  /** Runs a statement without waiting for it. If it fails, the commit rejects with its error. */
  send(query: Query): void;
}
