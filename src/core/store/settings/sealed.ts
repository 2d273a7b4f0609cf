import { prefixOf } from '@tallyhook/platform/encryption/sealed-text';
import { sql as kyselySql } from 'kysely';
import type { SealedConnection, SealedRow, SealedSetting, SealedToken } from '../../settings/stored-settings.ts';
import { run } from '../query-builder.ts';
import type { Sql, SqlClient } from '../sql-module.ts';

/* What is encrypted of settings, their history, members and connections: its key is replaced while the program runs. */

export const reads = {
  /** Some of the values that are encrypted with another key; none if there are none. */
  async sealedWithOthers(sql: Sql, keyId: string, limit: number): Promise<readonly SealedRow[]> {
    const prefix = prefixOf(keyId);
    const found = await values(sql, prefix, limit);
    if (found.length > 0) return found;
    const older = [...(await history(sql, 'before', prefix, limit)), ...(await history(sql, 'after', prefix, limit))];
    if (older.length > 0) return older;
    return [
      ...(await tokens(sql, 'access_token', prefix, limit)),
      ...(await tokens(sql, 'refresh_token', prefix, limit)),
      ...(await connections(sql, prefix, limit)),
    ];
  },
};

export const writes = {
  /** From then on, nothing that is encrypted with another key can be stored. */
  async useKey({ db, connection }: Sql, keyId: string): Promise<void> {
    const insert = db.insertInto('settings_state').values({ id: 1, version: 0, key_id: keyId });
    const save = insert.onConflict((conflict) => conflict.column('id').doUpdateSet({ key_id: keyId }));
    await run(connection, save);
  },

  /** Stores values that have not changed meanwhile. Returns how many. */
  async reseal(sql: Sql, rows: readonly { readonly row: SealedRow; readonly sealed: string }[]): Promise<number> {
    let replaced = 0;
    for (const { row, sealed } of rows) {
      replaced += await ('userId' in row
        ? setToken(sql, row, sealed)
        : 'connectionId' in row
          ? setConnection(sql, row, sealed)
          : setSealed(sql, row, sealed));
    }
    return replaced;
  },
};

export type RekeyStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;

async function values({ db, connection }: Sql, prefix: string, limit: number): Promise<SealedSetting[]> {
  const values = db
    .selectFrom('setting_values')
    .select(['guild_id as guildId', 'listing', 'path', kyselySql.ref<string>('sealed').as('sealed')]);
  const rows = await run(connection, values.where('sealed', 'not like', `${prefix}%`).limit(limit));
  return rows.map((row) => ({ place: 'value', changeId: 0, position: 0, ...row }));
}

async function history(
  { db, connection }: Sql,
  place: 'before' | 'after',
  prefix: string,
  limit: number,
): Promise<SealedSetting[]> {
  const column = place === 'before' ? 'before_sealed' : 'after_sealed';
  const others = db
    .selectFrom('changed_settings')
    .select(['guild_id', 'change_id', 'position', 'listing', 'path', kyselySql.ref<string>(column).as('sealed')])
    .where(column, 'not like', `${prefix}%`);
  const rows = await run(connection, others.limit(limit));
  return rows.map(({ guild_id: guildId, change_id: changeId, ...row }) => ({ place, guildId, changeId, ...row }));
}

async function tokens(
  { db, connection }: Sql,
  place: SealedToken['place'],
  prefix: string,
  limit: number,
): Promise<SealedToken[]> {
  const others = db.selectFrom('linked_members').select(['user_id', kyselySql.ref<string>(place).as('sealed')]);
  const rows = await run(connection, others.where(place, 'not like', `${prefix}%`).limit(limit));
  return rows.map(({ user_id: userId, sealed }) => ({ place, userId, sealed }));
}

async function connections({ db, connection }: Sql, prefix: string, limit: number): Promise<SealedConnection[]> {
  const others = db
    .selectFrom('topgg_connections')
    .select(['connection_id', kyselySql.ref<string>('sealed').as('sealed')])
    .where('sealed', 'not like', `${prefix}%`);
  const rows = await run(connection, others.limit(limit));
  return rows.map(({ connection_id: connectionId, sealed }) => ({ connectionId, sealed }));
}

async function setConnection({ db, connection }: Sql, { connectionId, sealed }: SealedConnection, next: string) {
  const held = db.updateTable('topgg_connections').set({ sealed: next }).where('connection_id', '=', connectionId);
  return (await run(connection, held.where('sealed', '=', sealed).returning('connection_id'))).length;
}

async function setToken(
  { db, connection }: Sql,
  { place, userId, sealed }: SealedToken,
  next: string,
): Promise<number> {
  const tokens = db
    .updateTable('linked_members')
    .set({ [place]: next })
    .where('user_id', '=', userId);
  return (await run(connection, tokens.where(place, '=', sealed).returning('user_id'))).length;
}

async function setSealed(
  { db, connection }: Sql,
  { place, guildId, changeId, position, listing, path, sealed }: SealedSetting,
  next: string,
) {
  if (place === 'value') {
    const value = db.updateTable('setting_values').set({ sealed: next }).where('sealed', '=', sealed);
    const stored = value.where('guild_id', '=', guildId).where('listing', '=', listing).where('path', '=', path);
    return (await run(connection, stored.returning('path'))).length;
  }
  const column = place === 'before' ? 'before_sealed' : 'after_sealed';
  const changed = db
    .updateTable('changed_settings')
    .set({ [column]: next })
    .where(column, '=', sealed);
  const row = changed.where('guild_id', '=', guildId).where('change_id', '=', changeId);
  return (await run(connection, row.where('position', '=', position).returning('path'))).length;
}
