import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** Minutes after which a count is deleted. */
const keptMinutes = 60;

/** Counts of requests that Discord rejected, for use inside a transaction of `connection`. */
export function invalidRequestWrites(db: Kysely<Tables>, connection: Connection) {
  return {
    async addInvalidRequests(minute: number, count: number): Promise<void> {
      await run(connection, db.deleteFrom('invalid_requests').where('minute', '<', minute - keptMinutes));
      const insert = db.insertInto('invalid_requests').values({ minute, count });
      await run(
        connection,
        insert.onConflict((conflict) =>
          conflict.column('minute').doUpdateSet((eb) => ({ count: eb('invalid_requests.count', '+', count) })),
        ),
      );
    },
  };
}

/** The sum of the counts from one minute to another, both included. */
export async function sumInvalidRequests(
  db: Kysely<Tables>,
  connection: Connection,
  from: number,
  until: number,
): Promise<number> {
  const counts = db.selectFrom('invalid_requests').where('minute', '>=', from).where('minute', '<=', until);
  const [row] = await run(
    connection,
    counts.select(({ fn }) => fn.sum<number | null>('count').as('sum')),
  );
  return Number(row?.sum ?? 0);
}
