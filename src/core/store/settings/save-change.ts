import { keyIdOf } from '@tallyhook/platform/encryption/sealed-text';
import { sql as kyselySql } from 'kysely';
import {
  linkPath,
  type NewChange,
  type SaveChangeResult,
  type SettingsState,
  type StoredValue,
} from '../../settings/stored-settings.ts';
import { literal, run, type SqlAccess, upsert } from '../query-builder.ts';
import type { Sql } from '../sql-module.ts';

/** Stores a change completely or not at all. */
export async function saveChange(sql: Sql, change: NewChange): Promise<SaveChangeResult> {
  const { guildId, authorId, interactionId, at, undoes, values } = change;
  const { db, connection } = sql;
  const { version, keyId } = await nextVersion(sql);
  const state = db.updateTable('settings_state').where('id', '=', literal(1));
  const reject = async (result: SaveChangeResult): Promise<SaveChangeResult> => {
    await run(connection, state.set({ version: version - 1 }));
    return result;
  };
  const earlier = await findInteraction(sql, guildId, interactionId);
  if (earlier !== undefined) return reject({ status: 'repeated', id: earlier });
  if (undoes !== null && (await isUndone(sql, guildId, undoes))) return reject({ status: 'already_undone' });
  const { validatedWith } = change;
  if (validatedWith !== undefined && (await versionOf(sql, guildId)) !== validatedWith) {
    return reject({ status: 'outdated' });
  }
  const newer = change.basis === null ? [] : await changesAfter(sql, change, change.basis);
  if (newer.length > 0) return reject({ status: 'conflict', changes: newer });
  const newKeyIds = new Set(values.flatMap(({ after }) => (after?.sealed ? [keyIdOf(after.sealed)] : [])));
  const currentKeyId = keyId ?? [...newKeyIds][0] ?? null;
  if (currentKeyId !== null && [...newKeyIds].some((id) => id !== currentKeyId)) {
    return reject({ status: 'other_key', keyId: currentKeyId });
  }
  const linked = values.flatMap(({ listing, path, after }) => (path === linkPath && after !== null ? [listing] : []));
  if (linked.length > 0 && (await isNameOfOther(sql, guildId, linked))) return reject({ status: 'name_taken' });
  const before = await currentValues(sql, guildId, values);
  const changed = values.filter((value, index) => !isSame(before[index] ?? null, value.after));
  if (changed.length === 0) return reject({ status: 'unchanged' });

  const row = { id: version, guild_id: guildId, at, author_id: authorId, interaction_id: interactionId, undoes };
  await run(connection, db.insertInto('setting_changes').values(row));
  for (const [position, value] of values.entries()) {
    if (changed.includes(value))
      await replaceValue(sql, { guildId, version, position }, value, before[position] ?? null);
  }
  // Makes every process read the community again.
  await upsert(sql, 'guilds', { guild_id: guildId }, { version });
  if (currentKeyId !== keyId) await run(connection, state.set({ key_id: currentKeyId }));
  return { status: 'saved', id: version };
}

/** No other change of the community can be committed before this one. */
async function versionOf({ db, connection }: Sql, guildId: string): Promise<number> {
  const guild = db.selectFrom('guilds').select('version').where('guild_id', '=', guildId);
  return (await run(connection, guild))[0]?.version ?? 0;
}

async function findInteraction(
  { db, connection }: Sql,
  guildId: string,
  interactionId: string,
): Promise<number | undefined> {
  const changes = db.selectFrom('setting_changes').select('id').where('guild_id', '=', guildId);
  return (await run(connection, changes.where('interaction_id', '=', interactionId)))[0]?.id;
}

/**
 * Whether another guild has or had a listing with one of these names. Votes, counts and what waits are stored by the name of
 * the listing, so it stays with the guild that it was generated for.
 */
async function isNameOfOther({ db, connection }: Sql, guildId: string, names: readonly string[]): Promise<boolean> {
  // A literal, so that both databases use the index of links.
  const links = db.selectFrom('changed_settings').select('listing').where('path', '=', literal(linkPath));
  const ofOther = links.where('guild_id', '<>', guildId).where('listing', 'in', names).limit(1);
  return (await run(connection, ofOther)).length > 0;
}

async function isUndone({ db, connection }: Sql, guildId: string, id: number): Promise<boolean> {
  const undoing = db.selectFrom('setting_changes').select('id').where('undoes', '=', id).where('id', '>', id);
  return (await run(connection, undoing.where('guild_id', '=', guildId))).length > 0;
}

/**
 * The ids of newer changes of one of the values, oldest first. Its author's own ones count only if the change takes
 * something back.
 */
async function changesAfter(
  { db, connection }: Sql,
  { guildId, authorId, undoes, values }: NewChange,
  basis: number,
): Promise<number[]> {
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

async function currentValues(
  { db, connection }: Sql,
  guildId: string,
  keys: NewChange['values'],
): Promise<(StoredValue | null)[]> {
  const stored = db.selectFrom('setting_values').selectAll().where('guild_id', '=', guildId);
  const rows = await run(connection, stored);
  return keys.map(({ listing, path }) => {
    const row = rows.find((each) => each.listing === listing && each.path === path);
    return row === undefined ? null : { value: row.value, sealed: row.sealed };
  });
}

async function replaceValue(
  sql: Sql,
  { guildId, version, position }: { guildId: string; version: number; position: number },
  { listing, path, after }: NewChange['values'][number],
  before: StoredValue | null,
): Promise<void> {
  const { db, connection } = sql;
  const key = { guild_id: guildId, listing, path };
  const history = {
    ...key,
    change_id: version,
    position,
    before_value: before?.value ?? null,
    before_sealed: before?.sealed ?? null,
    after_value: after?.value ?? null,
    after_sealed: after?.sealed ?? null,
  };
  await run(connection, db.insertInto('changed_settings').values(history));

  if (after === null) {
    const stored = db.deleteFrom('setting_values').where('guild_id', '=', guildId);
    await run(connection, stored.where('listing', '=', listing).where('path', '=', path));
  } else {
    await upsert(sql, 'setting_values', key, after);
  }
}

function isSame(before: StoredValue | null, after: StoredValue | null): boolean {
  return before?.value === after?.value && (before?.sealed ?? null) === (after?.sealed ?? null);
}

/**
 * Increases the version of the settings. Locks its row until the commit, so that versions become visible in their order.
 */
export async function nextVersion({ db, connection }: SqlAccess): Promise<SettingsState> {
  const insert = db.insertInto('settings_state').values({ id: 1, version: 1, key_id: null });
  const next = { version: kyselySql<number>`settings_state.version + 1` };
  const upsert = insert.onConflict((conflict) => conflict.column('id').doUpdateSet(next));
  const [state] = await run(connection, upsert.returning(['version', 'key_id']));
  if (state === undefined) throw new Error('The version of the settings could not be increased.');
  return { version: state.version, keyId: state.key_id };
}
