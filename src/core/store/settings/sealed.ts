import { prefixOf } from '@tallyhook/platform/encryption/sealed-text';
import { sql as kyselySql } from 'kysely';
import type { Sql, SqlClient } from '../sql-module.ts';

/* What is encrypted of settings, their history, members and connections: its key is replaced while the program runs. */

const keyOfChange = ['guild_id', 'change_id', 'position', 'listing', 'path'];

/** The columns with encrypted values, each with those that name a row of its table. */
const places = [
  { table: 'setting_values', column: 'sealed', keyColumns: ['guild_id', 'listing', 'path'] },
  { table: 'changed_settings', column: 'before_sealed', keyColumns: keyOfChange },
  { table: 'changed_settings', column: 'after_sealed', keyColumns: keyOfChange },
  { table: 'linked_members', column: 'access_token', keyColumns: ['user_id'] },
  { table: 'linked_members', column: 'refresh_token', keyColumns: ['user_id'] },
  { table: 'topgg_connections', column: 'sealed', keyColumns: ['connection_id'] },
] as const;

type Place = (typeof places)[number];

/** An encrypted value in the database. */
export interface SealedRow {
  readonly table: Place['table'];
  readonly column: Place['column'];
  /** The values of the columns that name the row. */
  readonly key: Readonly<Record<string, string | number>>;
  readonly sealed: string;
}

export const reads = {
  /** Some of the values that are encrypted with another key; none if there are none. */
  async sealedWithOthers({ db, connection }: Sql, keyId: string, limit: number): Promise<readonly SealedRow[]> {
    const others = `${prefixOf(keyId)}%`;
    for (const { table, column, keyColumns } of places) {
      const columns = kyselySql.join(keyColumns.map((name) => kyselySql.ref(name)));
      const sealed = kyselySql.ref(column);
      const found = kyselySql`select ${columns}, ${sealed} as sealed from ${kyselySql.table(table)} where ${sealed} not like ${others} limit ${limit}`;
      const rows = (await connection.run(found.compile(db))) as readonly Readonly<Record<string, string | number>>[];
      if (rows.length > 0)
        return rows.map(({ sealed: text, ...key }) => ({ table, column, key, sealed: String(text) }));
    }
    return [];
  },
};

export const writes = {
  /** From then on, nothing that is encrypted with another key can be stored. */
  async useKey({ db, connection }: Sql, keyId: string): Promise<void> {
    const insert = db.insertInto('settings_state').values({ id: 1, version: 0, key_id: keyId });
    const save = insert.onConflict((conflict) => conflict.column('id').doUpdateSet({ key_id: keyId }));
    await connection.run(save.compile());
  },

  /** Stores values that have not changed meanwhile. Returns how many. */
  async reseal(
    { db, connection }: Sql,
    rows: readonly { readonly row: SealedRow; readonly sealed: string }[],
  ): Promise<number> {
    let replaced = 0;
    for (const { row, sealed: next } of rows) {
      const column = kyselySql.ref(row.column);
      const named = Object.entries({ ...row.key, [row.column]: row.sealed });
      const isRow = named.map(([name, value]) => kyselySql`${kyselySql.ref(name)} = ${value}`);
      const update = kyselySql`update ${kyselySql.table(row.table)} set ${column} = ${next} where ${kyselySql.join(isRow, kyselySql` and `)} returning ${column}`;
      replaced += (await connection.run(update.compile(db))).length;
    }
    return replaced;
  },
};

export type RekeyStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;
