import type pg from 'pg';
import { isConnectionFailure } from '../../../platform/database/postgres-connection.ts';
import { asStoreError, timeouts } from './errors.ts';
import { storable } from './storable.ts';

/** Runs one statement outside a transaction. A connection that does not respond in time is closed. */
export async function readRows(
  pool: pg.Pool,
  text: string,
  parameters: readonly unknown[],
): Promise<pg.QueryResult<object>> {
  let client: pg.PoolClient;
  try {
    client = await pool.connect();
  } catch (error) {
    throw asStoreError(error);
  }
  try {
    const result = await client.query<object>({
      text,
      values: storable(parameters),
      ...{ query_timeout: timeouts.statementMs },
    });
    client.release();
    return result;
  } catch (error) {
    client.release(isConnectionFailure(error));
    throw asStoreError(error);
  }
}
