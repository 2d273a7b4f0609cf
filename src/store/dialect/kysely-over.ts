import { type Driver, DummyDriver, Kysely } from 'kysely';
import type { Connection, Dialect } from './dialect.ts';

/** A Kysely in the dialect's spelling, over whatever runs its statements. */
export function kyselyWith<Tables>({ kysely }: Pick<Dialect, 'kysely'>, driver: Driver): Kysely<Tables> {
  const { createAdapter, createIntrospector, createQueryCompiler } = kysely;
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => createAdapter.call(kysely),
      createIntrospector: (db) => createIntrospector.call(kysely, db),
      createQueryCompiler: () => createQueryCompiler.call(kysely),
      createDriver: () => driver,
    },
  });
}

/** One that runs what it builds on the connection, inside whatever transaction that is in: for migrations. */
export function kyselyOver<Tables>(dialect: Dialect, connection: Connection): Kysely<Tables> {
  return kyselyWith(dialect, new BorrowedConnection(connection));
}

class BorrowedConnection extends DummyDriver {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    super();
    this.#connection = connection;
  }

  override async acquireConnection() {
    const connection = this.#connection;
    return {
      executeQuery: async <Row>(query: { readonly sql: string; readonly parameters: readonly unknown[] }) => ({
        rows: (await connection.run(query)) as Row[],
      }),
      streamQuery(): AsyncIterableIterator<never> {
        throw new Error('Nothing is read in pieces here.');
      },
    };
  }
}
