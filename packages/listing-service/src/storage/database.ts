import { sqlitePathOf } from '@tallyhook/platform/database/database-url';
import type { Query, SqlDialect } from '@tallyhook/platform/database/dialect';
import { unusableFileHint } from '@tallyhook/platform/database/unusable-file';
import { TallyhookError } from '@tallyhook/platform/errors';
import type { Log } from '@tallyhook/platform/log';
import { type CompiledQuery, Kysely, type Transaction } from 'kysely';
import type { Engine } from './engine.ts';
import type { ServiceTables } from './tables.ts';

export class Database extends Kysely<ServiceTables> {
  /** SQLite or PostgreSQL, for statements that are not the same in both. */
  readonly engine: Engine;
  #closed: Promise<void> | null = null;

  constructor(engine: Engine) {
    super({ dialect: { ...engine.dialect.kysely, createDriver: () => engine.driver } });
    this.engine = engine;
  }

  get dialect(): SqlDialect {
    return this.engine.dialect;
  }

  /** Closes the database. Kysely's own method does not, unless it has run a statement. */
  override destroy(): Promise<void> {
    this.#closed ??= super.destroy().then(() => this.engine.close());
    return this.#closed;
  }

  /**
   * Runs statements in one transaction, without a turn of the event loop or a round trip between them. Resolves with
   * their rows; rejects with the first error, or a StoreUnavailableError.
   */
  batch(queries: readonly Query[]): Promise<unknown[][]> {
    const { engine } = this;
    return engine.name === 'sqlite'
      ? engine.transact((execute) => queries.map(({ sql, parameters }) => execute(sql, parameters)))
      : engine.transact(async (transaction) => {
          const results = await Promise.all(queries.map((query) => transaction.execute(query)));
          return results.map(({ rows }) => rows);
        });
  }

  /**
   * Reads outside a transaction, at once if possible: kysely's own way takes longer than a small statement.
   * @param query compiled once
   * @param parameters instead of those that it was compiled with
   */
  read<Found>(query: CompiledQuery<Found>, parameters: readonly unknown[]): Found[] | Promise<Found[]> {
    const { engine } = this;
    if (engine.name === 'postgres') return engine.run(query.sql, parameters) as Promise<Found[]>;
    if (engine.readNow !== null) {
      try {
        return engine.readNow(query.sql, parameters) as Found[];
      } catch (error) {
        if (!engine.dialect.isBusy(error)) throw error;
      }
    }
    return this.executeQuery<Found>({ ...query, parameters }).then(({ rows }) => rows);
  }
}

/**
 * The first parameter of every function in this folder: the database, or the transaction that the statement is part of.
 */
export type Sql = Kysely<ServiceTables> | Transaction<ServiceTables>;

/** The errors of a database that is readable, but not for this version. */
const rejections = ['database_too_new', 'database_unreleased', 'foreign_database'];

/**
 * Opens the service's database and runs its migrations. Each driver is loaded only if it is used. Writes throw a
 * StoreUnavailableError while another process holds a lock for too long, or the server does not respond.
 * @param address `sqlite:` and a path, relative or absolute; `sqlite::memory:` (or `:memory:`) for a database in memory;
 * or `postgres://…`
 * @param log where to report a deleted or replaced file, and locks of other processes
 * @throws TallyhookError `service_database` if it cannot be opened or migrated; `database_too_new` if it is of a newer
 * version with which this one cannot share it; `database_unreleased` if it is of a development version from before
 * 0.1.0; `foreign_database` if it is the bot's
 */
export async function openDatabase(address: string, log?: Log): Promise<Database> {
  const isServer = /^postgres(ql)?:/.test(address);
  const path = sqlitePathOf(address) ?? address;
  try {
    const engine = isServer
      ? await (await import('./postgres/open.ts')).openPostgresEngine(address)
      : await (await import('./sqlite/open.ts')).openSqliteEngine(path, log);
    return new Database(engine);
  } catch (cause) {
    if (cause instanceof TallyhookError && rejections.includes(cause.code)) throw cause;
    const name = isServer ? withoutPassword(address) : path;
    throw new TallyhookError('service_database', `Cannot open the service database "${name}".`, {
      cause,
      hint: isServer
        ? 'The server must run, and accept the user and the password.'
        : (unusableFileHint(cause, path, 'listing-service') ??
          'Use a path that this user may write to, for example --database sqlite:data/service.db.'),
    });
  }
}

/** Server and database of an address, without the credentials. */
function withoutPassword(address: string): string {
  if (!URL.canParse(address)) return 'postgres://…';
  const { host, pathname } = new URL(address);
  return `postgres://${host}${pathname}`;
}
