import pg from 'pg';
import type { Connection } from './dialect.ts';
import type { PostgresTransactions, TransactionTimeouts } from './postgres-transactions.ts';

/** Timeout of connecting, and of each statement that writes: an unresponsive server must not keep a sender waiting. */
export const writeTimeoutMs = 1_500;
/** The lock timeout is short, because queued jobs wait meanwhile; the group commit retries. */
const defaultTimeouts: TransactionTimeouts = { statementMs: writeTimeoutMs, lockMs: 500 };
/** Timeout of a query that only reads, such as a sum over all accounts. */
const readTimeoutMs = 10_000;

/**
 * Statements are sent without waiting for the responses to earlier ones, such as `BEGIN`: each round trip to a server
 * in another zone takes longer than most statements.
 */
export function createTransactions(
  pool: pg.Pool,
  { statementMs, lockMs }: TransactionTimeouts = defaultTimeouts,
): PostgresTransactions {
  let current: { readonly client: pg.PoolClient; readonly sent: Promise<unknown>[] } | undefined;

  function send(text: string, values: unknown[] = []): Promise<pg.QueryResult<object>> {
    if (current === undefined) throw new Error('There is no transaction.');
    const result = execute(current.client, text, values, statementMs);
    result.catch(() => {});
    current.sent.push(result);
    return result;
  }

  async function sendInOrder(text: string, values: unknown[]): Promise<pg.QueryResult<object>> {
    const earlier = current?.sent ?? [];
    const result = send(text, values);
    // After a failure, all further statements fail, too; the first error is the cause.
    await Promise.all(earlier);
    return result;
  }

  return {
    ...connection(async (text, values) => (await sendInOrder(text, values)).rows),
    execute: ({ sql: text, parameters }) => sendInOrder(text, [...parameters]),
    send: ({ sql: text, parameters }) => void send(text, [...parameters]),
    begin: async () => {
      current = { client: await pool.connect(), sent: [] };
      const setLockTimeout = `SET LOCAL lock_timeout = ${lockMs}`;
      // Otherwise a process that disappears without closing its connections would keep its locks for hours.
      const setIdleTimeout = `SET LOCAL idle_in_transaction_session_timeout = ${statementMs ?? 0}`;
      void send(`BEGIN; ${setStatementTimeout(statementMs)}; ${setLockTimeout}; ${setIdleTimeout}`);
    },
    commit: async () => {
      if (current === undefined) return;
      const { client, sent } = current;
      void send('COMMIT');
      current = undefined;
      // After a failed statement the server rolls back instead, and reports success.
      await completed(client, sent);
    },
    // Not awaited: a server that does not respond would delay the next transaction.
    rollback: async () => {
      if (current === undefined) return;
      const { client } = current;
      current = undefined;
      execute(client, 'ROLLBACK', [], writeTimeoutMs).then(
        () => client.release(),
        () => client.release(true),
      );
    },
  };
}

/** Runs one query in its own transaction: a session-wide timeout would also apply to other clients of PgBouncer. */
export async function readInTransaction(pool: pg.Pool, text: string, values: unknown[]): Promise<readonly unknown[]> {
  const client = await pool.connect();
  const begun = execute(client, `BEGIN READ ONLY; ${setStatementTimeout(readTimeoutMs)}`, [], readTimeoutMs);
  const result = execute(client, text, values, readTimeoutMs);
  const committed = execute(client, 'COMMIT', [], readTimeoutMs);
  await completed(client, [begun, result, committed]);
  return (await result).rows;
}

/** Waits for all statements of a transaction, and rejects with the error of the first one that failed. */
async function completed(client: pg.PoolClient, statements: readonly Promise<unknown>[]): Promise<void> {
  const failures = (await Promise.allSettled(statements)).filter((result) => result.status === 'rejected');
  client.release(failures.some(({ reason }) => isConnectionFailure(reason)));
  for (const { reason } of failures) throw reason;
}

/** SQL that sets the statement timeout of the current transaction; null for none, whatever the server's default. */
export function setStatementTimeout(timeoutMs: number | null): string {
  return `SET LOCAL statement_timeout = ${timeoutMs ?? 0}`;
}

export function connection(rows: (text: string, values: unknown[]) => Promise<readonly unknown[]>): Connection {
  return { run: ({ sql: text, parameters }) => rows(text, [...parameters]) };
}

/** Runs one statement. @param timeoutMs null for no timeout */
function execute(
  client: pg.PoolClient,
  text: string,
  values: unknown[],
  timeoutMs: number | null,
): Promise<pg.QueryResult<object>> {
  const options = timeoutMs === null ? {} : { query_timeout: timeoutMs };
  return client.query<object>({ text, values, ...options });
}

/** The code of an error of the server; empty for any other error. */
export function codeOf(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : '';
}

/** Errors of the socket, and the driver's errors for a connection that is closed or times out. */
export function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof pg.DatabaseError) return false;
  return 'code' in error || /connection|terminated|timeout/i.test(error.message);
}
