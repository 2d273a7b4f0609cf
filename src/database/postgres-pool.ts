import pg from 'pg';
import { writeTimeoutMs } from './postgres-connection.ts';

/** The type id of `bigint`, the type of counts and times. */
const bigintOid = 20;
/** Type parsers that return a bigint as a number, which is exact up to 2^53. */
export const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === bigintOid ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};

/** So that ids which a connection has reserved are used soon: the counters of rows rely on it. */
const maxConnectionSeconds = 600;

/** A pool of at most `max` connections that send statements without waiting for the responses to earlier ones. */
export function createPool(connectionString: string, max: number): pg.Pool {
  const pool = new pg.Pool({
    ...{ connectionString, max, types },
    pipeline: true,
    maxLifetimeSeconds: maxConnectionSeconds,
    connectionTimeoutMillis: writeTimeoutMs,
  });
  // The pool replaces broken connections. Without these listeners, a broken connection would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}
