import { type Kysely, sql } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { prefixOf } from '../../../platform/encryption/sealed-text.ts';
import type { RekeyStore, SealedSetting, SealedToken } from '../../settings/stored-settings.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import type { Write } from '../writes/writes.ts';

/** The encrypted values of settings and of their history, and the tokens of members, over SQL. */
export function sqlRekey(db: Kysely<Tables>, reading: Connection, write: Write): RekeyStore {
  async function values(prefix: string, limit: number): Promise<SealedSetting[]> {
    const others = db.selectFrom('setting_values').selectAll().where('sealed', 'not like', `${prefix}%`);
    const rows = await run(reading, others.limit(limit));
    return rows.map(({ guild_id: guildId, listing, path, sealed }) => ({
      ...{ place: 'value', guildId, changeId: 0, position: 0, listing, path, sealed: sealed ?? '' },
    }));
  }

  async function history(place: 'before' | 'after', prefix: string, limit: number): Promise<SealedSetting[]> {
    const column = place === 'before' ? 'before_sealed' : 'after_sealed';
    const others = db
      .selectFrom('changed_settings')
      .select(['guild_id', 'change_id', 'position', 'listing', 'path', sql.ref<string>(column).as('sealed')])
      .where(column, 'not like', `${prefix}%`);
    const rows = await run(reading, others.limit(limit));
    return rows.map(({ guild_id: guildId, change_id: changeId, ...row }) => ({ place, guildId, changeId, ...row }));
  }

  async function tokens(place: SealedToken['place'], prefix: string, limit: number): Promise<SealedToken[]> {
    const others = db.selectFrom('linked_members').select(['user_id', sql.ref<string>(place).as('sealed')]);
    const rows = await run(reading, others.where(place, 'not like', `${prefix}%`).limit(limit));
    return rows.map(({ user_id: userId, sealed }) => ({ place, userId, sealed }));
  }

  return {
    useKey: (keyId) => write('useSettingsKey', keyId),
    async sealedWithOthers(keyId, limit) {
      const prefix = prefixOf(keyId);
      const found = await values(prefix, limit);
      if (found.length > 0) return found;
      const older = [...(await history('before', prefix, limit)), ...(await history('after', prefix, limit))];
      if (older.length > 0) return older;
      return [...(await tokens('access_token', prefix, limit)), ...(await tokens('refresh_token', prefix, limit))];
    },
    reseal: (rows) => write('resealSettings', rows),
  };
}
