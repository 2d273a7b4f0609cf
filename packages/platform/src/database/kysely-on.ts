import { type Driver, DummyDriver, Kysely } from 'kysely';
import type { Connection, Query, SqlDialect } from './dialect.ts';

/* Kysely builds and compiles the statements; our own connections run them. */

/** A Kysely that runs its statements on the connection, inside the connection's current transaction. For migrations. */
export function kyselyOn<Schema>(dialect: Pick<SqlDialect, 'kysely'>, connection: Connection): Kysely<Schema> {
  return kyselyWith(dialect, new ConnectionDriver(connection));
}

/** A Kysely for the dialect's database that runs its statements with this driver. */
function kyselyWith<Schema>({ kysely }: Pick<SqlDialect, 'kysely'>, driver: Driver): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: { ...kysely, createDriver: () => driver } });
}

/** A Kysely that builds and compiles statements for the dialect's database. It cannot run them. */
export function statementBuilder<Schema>(dialect: Pick<SqlDialect, 'kysely'>): Kysely<Schema> {
  return kyselyWith(dialect, new DummyDriver());
}

class ConnectionDriver extends DummyDriver {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    super();
    this.#connection = connection;
  }

  override async acquireConnection() {
    const connection = this.#connection;
    return {
      executeQuery: async <Row>(query: Query) => ({ rows: (await connection.run(query)) as Row[] }),
      streamQuery(): AsyncIterableIterator<never> {
        throw new Error('Streaming is not supported.');
      },
    };
  }
}
