import pg from 'pg';
import { writeTimeoutMs } from './postgres-connection.ts';

/** The type ids of `bigint`, the type of counts and times, and of `numeric`, the type of their sums. */
const bigintOid = 20;
const numericOid = 1700;

function typesWith(numberOids: readonly number[]): pg.CustomTypesConfig {
  return {
    getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
      numberOids.includes(oid)
        ? Number
        : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
  };
}

/** Type parsers that return a bigint as a number, which is exact up to 2^53. */
export const types = typesWith([bigintOid]);
const typesWithNumeric = typesWith([bigintOid, numericOid]);

/** So that ids which a connection has reserved are used soon: the counters of rows rely on it. */
const maxConnectionSeconds = 600;

/**
 * The URL with `sslmode=verify-full` in place of `prefer`, `require` and `verify-ca`: that is what pg makes of them. It
 * warns that this will change with its next version, to what libpq does, which does not verify who the server is.
 */
export function withVerifiedTls(url: string): string {
  if (/[?&]uselibpqcompat=true(&|$)/.test(url)) return url;
  return url.replaceAll(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/g, '$1verify-full');
}

/**
 * A pool of at most `max` connections that send statements without waiting for the responses to earlier ones.
 * @param options.numericAsNumber returns a `numeric` as a number instead of its text
 * @param options.connectTimeoutMs how long to wait for a free or new connection
 */
export function createPool(
  connectionString: string,
  max: number,
  {
    numericAsNumber = false,
    connectTimeoutMs = writeTimeoutMs,
  }: { readonly numericAsNumber?: boolean; readonly connectTimeoutMs?: number } = {},
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: withVerifiedTls(connectionString),
    max,
    types: numericAsNumber ? typesWithNumeric : types,
    pipeline: true,
    maxLifetimeSeconds: maxConnectionSeconds,
    connectionTimeoutMillis: connectTimeoutMs,
  });
  // The pool replaces broken connections. Without these listeners, a broken connection would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}
