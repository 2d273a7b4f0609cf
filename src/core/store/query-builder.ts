import type { Connection, SqlDialect } from '@tallyhook/platform/database/dialect';
import { statementBuilder } from '@tallyhook/platform/database/kysely-on';
import { boundQuery, type PlaceholderFor } from '@tallyhook/platform/database/prepared-query';
import { memoizeOne } from '@tallyhook/platform/memoize';
import { type Compilable, type Insertable, type Kysely, type RawBuilder, sql } from 'kysely';
import { noDelivery, type Tables } from './tables.ts';

/**
 * The access that statements need: `db` builds them, `connection` runs them. `Own` are the tables that a feature adds.
 */
export interface SqlAccess<Own = unknown> {
  readonly db: Kysely<Tables & Own>;
  readonly connection: Connection;
}

/** Builds and compiles statements for the dialect's database. It cannot run them. */
export function queryBuilder(dialect: Pick<SqlDialect, 'kysely'>): Kysely<Tables> {
  return statementBuilder(dialect);
}

/** Compiles and runs a statement, and returns its rows. */
export async function run<Row>(connection: Connection, query: Compilable<Row>): Promise<readonly Row[]> {
  return (await connection.run(query.compile())) as readonly Row[];
}

type Table<Own> = keyof (Tables & Own) & string;
type Row<Own, Of extends Table<Own>> = Insertable<(Tables & Own)[Of]>;
type Key<Own, Of extends Table<Own>, Name extends keyof Row<Own, Of>> = Pick<Row<Own, Of>, Name>;
type Values<Own, Of extends Table<Own>, Name extends keyof Row<Own, Of>> = Omit<Row<Own, Of>, Name>;

/** Inserts a row, or replaces these values of the row with the key. */
export async function upsert<Own, Of extends Table<Own>, Name extends keyof Row<Own, Of>>(
  { db, connection }: SqlAccess<Own>,
  table: Of,
  key: Key<Own, Of, Name>,
  values: Values<Own, Of, Name>,
): Promise<void> {
  const insert = insertRow(db, table, key, values);
  const save = insert.onConflict((conflict) => conflict.columns(namesIn(key)).doUpdateSet(values as never));
  await run(connection, save);
}

/** Inserts a row unless there is one with the key. */
export async function insertMissing<Own, Of extends Table<Own>, Name extends keyof Row<Own, Of>>(
  { db, connection }: SqlAccess<Own>,
  table: Of,
  key: Key<Own, Of, Name>,
  values: Values<Own, Of, Name>,
): Promise<void> {
  const insert = insertRow(db, table, key, values);
  const addOnce = insert.onConflict((conflict) => conflict.columns(namesIn(key)).doNothing());
  await run(connection, addOnce);
}

/** Makes deliveries of events with these keys duplicates. */
export async function addEventKeys({ db, connection }: SqlAccess, keys: readonly Uint8Array[]): Promise<void> {
  if (keys.length === 0) return;
  const insert = db.insertInto('event_keys').values(keys.map((key) => ({ key, delivery_id: noDelivery })));
  const addOnce = insert.onConflict((conflict) => conflict.doNothing());
  await run(connection, addOnce);
}

/** Inserts a row, or adds its numbers to those of the row with the key. */
export async function increase<Own, Of extends Table<Own>, Name extends keyof Row<Own, Of>>(
  { db, connection }: SqlAccess<Own>,
  table: Of,
  key: Key<Own, Of, Name>,
  numbers: Values<Own, Of, Name>,
): Promise<void> {
  const sumOf = (name: string) => sql`${sql.ref(`${table}.${name}`)} + ${sql.ref(`excluded.${name}`)}`;
  const sums = Object.fromEntries(Object.keys(numbers).map((name) => [name, sumOf(name)]));
  const insert = insertRow(db, table, key, numbers);
  const add = insert.onConflict((conflict) => conflict.columns(namesIn(key)).doUpdateSet(sums as never));
  await run(connection, add);
}

// Kysely cannot relate a row to a table that is a parameter; the callers' types do.
function insertRow<Own>(db: Kysely<Own>, table: keyof Own & string, key: object, values: object) {
  return db.insertInto(table).values({ ...key, ...values } as never);
}

function namesIn(key: object): never[] {
  return Object.keys(key) as never[];
}

/**
 * A value written into the statement's text instead of bound. SQLite builds a table for a bound `in (…)`, which triples
 * the cost of the look-up, and it uses a partial index only if the value is visible in the condition.
 */
export function literal<Value extends string | number>(value: Value): RawBuilder<Value> {
  return sql.lit(value);
}

/** A prepared query of a module, which is used with several databases. */
export function preparedStatement<Args extends object, Own = unknown>() {
  return <Row>(build: (db: Kysely<Tables & Own>, placeholder: PlaceholderFor<Args>) => Compilable<Row>) => {
    const bindIn = memoizeOne((db: Kysely<Tables & Own>) =>
      boundQuery<Args>()((placeholder) => build(db, placeholder)),
    );
    return ({ db, connection }: SqlAccess<Own>, args: Args) =>
      connection.run(bindIn(db)(args)) as Promise<readonly Row[]>;
  };
}

/**
 * Locks a name until the end of the transaction. A row of its own, because an advisory lock is not available in every
 * database of PostgreSQL's family, and in others is a lock of one node.
 */
export async function lock(connection: Connection, db: Kysely<Tables>, name: string): Promise<void> {
  const insert = db.insertInto('locks').values({ name });
  const touch = insert.onConflict((conflict) => conflict.column('name').doUpdateSet({ name }));
  await run(connection, touch);
}

/*
 * How far something periodic has come, by a key that begins with what it is. A row that only its task changes says what
 * was done before: so nothing is done twice, in whatever process.
 */

/** Null before the first time. */
export async function progressOf({ db, connection }: SqlAccess, key: string): Promise<number | null> {
  const progress = db.selectFrom('announcement_progress').select('until_at').where('key', '=', key);
  return (await run(connection, progress))[0]?.until_at ?? null;
}

export function setProgress(sql: SqlAccess, key: string, until_at: number): Promise<void> {
  return upsert(sql, 'announcement_progress', { key }, { until_at });
}

/** Forgets what was done. */
export async function deleteProgress({ db, connection }: SqlAccess, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await run(connection, db.deleteFrom('announcement_progress').where('key', 'in', keys));
}

/** Advances from what the caller has read. False if another process was faster. */
export async function advance(sql: SqlAccess, key: string, from: number | null, until: number): Promise<boolean> {
  await lock(sql.connection, sql.db, key);
  if ((await progressOf(sql, key)) !== from) return false;
  await setProgress(sql, key, until);
  return true;
}
