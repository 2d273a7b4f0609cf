import { type Kysely, sql } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { keyIdOf } from '../../../platform/encryption/sealed-text.ts';
import type {
  NewChange,
  SaveChangeResult,
  SealedRow,
  SealedSetting,
  SealedToken,
  StoredValue,
} from '../../settings/stored-settings.ts';
import { literal, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** Changes of settings, for use inside a transaction of `connection`. */
export function settingsWrites(db: Kysely<Tables>, connection: Connection) {
  return {
    /** Stores a change completely or not at all. */
    async saveSettings(change: NewChange): Promise<SaveChangeResult> {
      const { guildId, authorId, interactionId, at, undoes, values } = change;
      // Locks the row until the commit, so versions become visible in their order.
      const { version, keyId } = await nextVersion();
      const reject = async (result: SaveChangeResult): Promise<SaveChangeResult> => {
        await run(
          connection,
          db
            .updateTable('settings_state')
            .set({ version: version - 1 })
            .where('id', '=', literal(1)),
        );
        return result;
      };
      const earlier = await findInteraction(interactionId);
      if (earlier !== undefined) return reject({ status: 'repeated', id: earlier });
      if (undoes !== null && (await isUndone(undoes))) return reject({ status: 'already_undone' });
      const { validatedWith } = change;
      if (validatedWith !== undefined && (await versionOf(guildId)) !== validatedWith) {
        return reject({ status: 'outdated' });
      }
      const newer = change.basis === null ? [] : await changesAfter(change, change.basis);
      if (newer.length > 0) return reject({ status: 'conflict', changes: newer });
      const newKeyIds = new Set(values.flatMap(({ after }) => (after?.sealed ? [keyIdOf(after.sealed)] : [])));
      const currentKeyId = keyId ?? [...newKeyIds][0] ?? null;
      if (currentKeyId !== null && [...newKeyIds].some((id) => id !== currentKeyId)) {
        return reject({ status: 'other_key', keyId: currentKeyId });
      }
      const before = await currentValues(guildId, values);
      const changed = values.filter((value, index) => !isSame(before[index] ?? null, value.after));
      if (changed.length === 0) return reject({ status: 'unchanged' });

      const row = { id: version, guild_id: guildId, at, author_id: authorId, interaction_id: interactionId, undoes };
      await run(connection, db.insertInto('setting_changes').values(row));
      for (const [position, value] of values.entries()) {
        if (changed.includes(value))
          await replaceValue({ guildId, version, position }, value, before[position] ?? null);
      }
      await touch(guildId, version);
      if (currentKeyId !== keyId) {
        await run(
          connection,
          db.updateTable('settings_state').set({ key_id: currentKeyId }).where('id', '=', literal(1)),
        );
      }
      return { status: 'saved', id: version };
    },

    async useSettingsKey(keyId: string): Promise<void> {
      const insert = db.insertInto('settings_state').values({ id: 1, version: 0, key_id: keyId });
      await run(
        connection,
        insert.onConflict((conflict) => conflict.column('id').doUpdateSet({ key_id: keyId })),
      );
    },

    async resealSettings(rows: readonly { readonly row: SealedRow; readonly sealed: string }[]): Promise<number> {
      let replaced = 0;
      for (const { row, sealed } of rows) {
        replaced += 'userId' in row ? await setToken(row, sealed) : await setSealed(row, sealed);
      }
      return replaced;
    },
  };

  async function setToken({ place, userId, sealed }: SealedToken, next: string): Promise<number> {
    const tokens = db
      .updateTable('linked_members')
      .set({ [place]: next })
      .where('user_id', '=', userId);
    return (await run(connection, tokens.where(place, '=', sealed).returning('user_id'))).length;
  }

  async function setSealed({ place, guildId, changeId, position, listing, path, sealed }: SealedSetting, next: string) {
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

  async function nextVersion(): Promise<{ readonly version: number; readonly keyId: string | null }> {
    const insert = db.insertInto('settings_state').values({ id: 1, version: 1, key_id: null });
    const [state] = await run(
      connection,
      insert
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet({ version: sql<number>`settings_state.version + 1` }),
        )
        .returning(['version', 'key_id']),
    );
    if (state === undefined) throw new Error('The version of the settings could not be increased.');
    return { version: state.version, keyId: state.key_id };
  }

  /** No other change of the community can be committed before this one. */
  async function versionOf(guildId: string): Promise<number> {
    const guild = db.selectFrom('guilds').select('version').where('guild_id', '=', guildId);
    return (await run(connection, guild))[0]?.version ?? 0;
  }

  async function findInteraction(interactionId: string): Promise<number | undefined> {
    const changes = db.selectFrom('setting_changes').select('id').where('interaction_id', '=', interactionId);
    return (await run(connection, changes))[0]?.id;
  }

  async function isUndone(id: number): Promise<boolean> {
    const undoing = db.selectFrom('setting_changes').select('id').where('undoes', '=', id).where('id', '>', id);
    return (await run(connection, undoing)).length > 0;
  }

  /**
   * The ids of newer changes of one of the values, oldest first. Its author's own ones count only if the change takes
   * something back.
   */
  async function changesAfter({ guildId, authorId, undoes, values }: NewChange, basis: number): Promise<number[]> {
    const newer = db
      .selectFrom('changed_settings')
      .innerJoin('setting_changes', 'setting_changes.id', 'changed_settings.change_id')
      .select(['change_id', 'author_id', 'listing', 'path'])
      .where('changed_settings.guild_id', '=', guildId)
      .where('change_id', '>', basis);
    const rows = await run(connection, newer.orderBy('change_id'));
    const same = rows.filter(
      (row) =>
        (undoes !== null || row.author_id !== authorId) &&
        values.some(({ listing, path }) => row.listing === listing && row.path === path),
    );
    return [...new Set(same.map(({ change_id }) => change_id))];
  }

  async function currentValues(guildId: string, keys: NewChange['values']): Promise<(StoredValue | null)[]> {
    const stored = db.selectFrom('setting_values').selectAll().where('guild_id', '=', guildId);
    const rows = await run(connection, stored);
    return keys.map(({ listing, path }) => {
      const row = rows.find((each) => each.listing === listing && each.path === path);
      return row === undefined ? null : { value: row.value, sealed: row.sealed };
    });
  }

  async function replaceValue(
    { guildId, version, position }: { guildId: string; version: number; position: number },
    { listing, path, after }: NewChange['values'][number],
    before: StoredValue | null,
  ): Promise<void> {
    const key = { guild_id: guildId, listing, path };
    const history = {
      ...{ ...key, change_id: version, position },
      ...{ before_value: before?.value ?? null, before_sealed: before?.sealed ?? null },
      ...{ after_value: after?.value ?? null, after_sealed: after?.sealed ?? null },
    };
    await run(connection, db.insertInto('changed_settings').values(history));
    const keyColumns = ['guild_id', 'listing', 'path'] as const;
    if (after === null) {
      const stored = db.deleteFrom('setting_values').where('guild_id', '=', guildId);
      await run(connection, stored.where('listing', '=', listing).where('path', '=', path));
    } else {
      const insert = db.insertInto('setting_values').values({ ...key, ...after });
      await run(
        connection,
        insert.onConflict((conflict) => conflict.columns(keyColumns).doUpdateSet({ ...after })),
      );
    }
  }

  /** Makes every process read the community again. */
  async function touch(guildId: string, version: number): Promise<void> {
    const insert = db.insertInto('guilds').values({ guild_id: guildId, version });
    await run(
      connection,
      insert.onConflict((conflict) => conflict.column('guild_id').doUpdateSet({ version })),
    );
  }
}

function isSame(before: StoredValue | null, after: StoredValue | null): boolean {
  return before?.value === after?.value && (before?.sealed ?? null) === (after?.sealed ?? null);
}
