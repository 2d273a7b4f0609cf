import type { Encryption } from '@tallyhook/platform/encryption/encryption';
import type { EncryptionKey } from '@tallyhook/platform/encryption/encryption-key';
import { keyIdOf, prefixOf } from '@tallyhook/platform/encryption/sealed-text';
import { sql as kyselySql } from 'kysely';
import { run } from '../query-builder.ts';
import type { Sql, SqlClient } from '../sql-module.ts';
import type { SettingsStore } from './store.ts';

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

/** True if the sealed texts are all encrypted with the key of the database, which is that of its first secret. */
export async function haveKey({ db, connection }: Sql, sealed: readonly string[]): Promise<boolean> {
  const keyIds = sealed.map((each) => keyIdOf(each) ?? '');
  const insert = db.insertInto('settings_state').values({ id: 1, version: 0, key_id: keyIds[0] ?? '' });
  const adopt = insert.onConflict((conflict) =>
    conflict.column('id').doUpdateSet((eb) => ({
      key_id: eb.fn.coalesce('settings_state.key_id', 'excluded.key_id'),
    })),
  );
  const [state] = await run(connection, adopt.returning('key_id'));
  return keyIds.every((id) => id === state?.key_id);
}

/**
 * Saves something with the key of the database, again if that was replaced meanwhile.
 * @param save returns false if it has another key than the database's: see {@link haveKey}
 */
export async function saveSealed<Saved>(
  { encryption, store }: { readonly encryption: Encryption; readonly store: { readonly settings: KeyState } },
  save: (key: EncryptionKey) => Promise<Saved | false>,
): Promise<Saved> {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const saved = await save(encryption.keyFor((await store.settings.state()).keyId));
    if (saved !== false) return saved;
  }
  throw new Error('The key of the database keeps changing.');
}

/** Which key the database has. */
export type KeyState = Pick<SettingsStore, 'state'>;
