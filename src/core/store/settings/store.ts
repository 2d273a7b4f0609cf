import { keyIdOf } from '@tallyhook/platform/encryption/sealed-text';
import { sql as kyselySql, type Selectable } from 'kysely';
import { voteKinds } from '../../../webhook/event.ts';
import { announcementKind, newEffect } from '../../outbox/effect-kind.ts';
import { queueName } from '../../outbox/queue.ts';
import {
  type Arrival,
  type ChangedValue,
  linkPath,
  type NewChange,
  type SaveChangeResult,
  type SettingsState,
  type StoredChange,
  type StoredCommunity,
  type StoredValue,
} from '../../settings/stored-settings.ts';
import { testAnnouncementOf } from '../../tally/write-event.ts';
import { communityOfGuild } from '../communities.ts';
import { enqueue } from '../outbox/enqueue.ts';
import { literal, lock, preparedStatement, run, type SqlAccess, upsert } from '../query-builder.ts';
import type { Sql, SqlClient } from '../sql-module.ts';
import type { Tables } from '../tables.ts';

/** Communities per statement: SQLite accepts 32,766 parameters. */
const communitiesPerQuery = 1_000;
/** The newest test deliveries, among which those of a listing are searched. A test is sent by hand. */
const searchedTests = 2_000;
/** The newest deliveries of any outcome, among which a first vote is searched. */
const searchedVotes = 500;

/* The settings of communities. */

/** Each process reads it often, to find changes of others. */
const findState = preparedStatement<object>()((db) =>
  db.selectFrom('settings_state').select(['version', 'key_id']).where('id', '=', literal(1)),
);

export const reads = {
  /** Reads one row. */
  async state(sql: Sql): Promise<SettingsState> {
    const [row] = await findState(sql, {});
    return { version: row?.version ?? 0, keyId: row?.key_id ?? null };
  },

  /** True if any community that is in use has a value at this path which is not empty. Reads all values. */
  async hasValue({ db, connection }: Sql, path: string): Promise<boolean> {
    const values = db
      .selectFrom('setting_values')
      .innerJoin('guilds', 'guilds.guild_id', 'setting_values.guild_id')
      .select('value')
      .where('path', '=', path)
      .where('value', 'not in', ['[]', 'null'])
      .where('parked_at', 'is', null)
      .limit(1);
    return (await run(connection, values)).length > 0;
  },

  /** The communities that were changed after a version, in the order of their versions. */
  async changedAfter(
    { db, connection }: Sql,
    version: number,
  ): Promise<readonly { readonly guildId: string; readonly version: number }[]> {
    const changed = db.selectFrom('guilds').select(['guild_id', 'version']).where('version', '>', version);
    const rows = await run(connection, changed.orderBy('version'));
    return rows.map(({ guild_id, version: newest }) => ({ guildId: guild_id, version: newest }));
  },

  /** The communities with these ids; one without settings has none. */
  async communities(sql: Sql, guildIds: readonly string[]): Promise<readonly StoredCommunity[]> {
    const found: StoredCommunity[] = [];
    for (let start = 0; start < guildIds.length; start += communitiesPerQuery) {
      const ids = guildIds.slice(start, start + communitiesPerQuery);
      found.push(...(await withSettings(sql, await findGuilds(sql, { ids }))));
    }
    const byId = new Map(found.map((community) => [community.guildId, community]));
    return guildIds.map((guildId) => byId.get(guildId) ?? noCommunity(guildId));
  },

  /** The communities with the next ids, in their order. */
  async communitiesAfter(sql: Sql, guildId: string, limit: number): Promise<readonly StoredCommunity[]> {
    const page = guilds(sql).where('guild_id', '>', guildId).orderBy('guild_id').limit(limit);
    return withSettings(sql, await run(sql.connection, page));
  },

  /** Newest first. @param options.before only changes with a smaller id; null for the newest */
  async changes(
    sql: Sql,
    guildId: string,
    { before, limit }: { readonly before: number | null; readonly limit: number },
  ): Promise<readonly StoredChange[]> {
    const last = before ?? Number.MAX_SAFE_INTEGER;
    return withValues(sql, guildId, await findChanges(sql, { guildId, before: last, limit }));
  },

  /** The changes with these ids that are of the community, oldest first. */
  async changesWithIds(sql: Sql, guildId: string, ids: readonly number[]): Promise<readonly StoredChange[]> {
    if (ids.length === 0) return [];
    const rows = await run(sql.connection, changesOf(sql, guildId).where('id', 'in', ids).orderBy('id'));
    return withValues(sql, guildId, rows);
  },

  /** The change of the community that an interaction has saved; null if it has saved none. */
  async changeOfInteraction(sql: Sql, guildId: string, interactionId: string): Promise<number | null> {
    const change = changesOf(sql, guildId).where('interaction_id', '=', interactionId);
    return (await run(sql.connection, change))[0]?.id ?? null;
  },

  /**
   * The newest test for a listing that was received since `since` (ms since the epoch); without one, the newest vote
   * among the newest deliveries of the database. Null for neither.
   */
  async arrivedSince(sql: Sql, listing: string, since: number): Promise<Arrival | null> {
    const [test] = await testsSince(sql, listing, since);
    if (test !== undefined) return { at: test.received_at, isTest: true };
    const newest = sql.db.selectFrom('deliveries').select(['listing', 'received_at', 'outcome', 'family']);
    const rows = await run(sql.connection, newest.orderBy('id', 'desc').limit(searchedVotes));
    const vote = rows.find(
      (row) =>
        row.listing === listing && row.received_at >= since && row.outcome === 'recorded' && row.family === 'vote',
    );
    return vote === undefined ? null : { at: vote.received_at, isTest: false };
  },
};

export const writes = {
  save: saveChange,

  /** Enqueues the announcement of the newest test of a listing, if it was not announced when it was received. */
  async announceTest(sql: Sql, { listing, guildId, channelId, since }: AnnouncedTest, now: number): Promise<void> {
    // Two processes may choose the channel at the same time.
    await lock(sql.connection, sql.db, 'announced tests');
    const test = (await testsSince(sql, listing, since)).find(({ family }) => family === 'vote');
    if (test === undefined) return;
    const { id, user_id: userId, received_at: receivedAt } = test;
    const kind = voteKinds.find((each) => each === test.kind) ?? 'server_vote';
    const announced = sql.db.selectFrom('effects').select('id').where('delivery_id', '=', id).limit(1);
    if ((await run(sql.connection, announced)).length > 0) return;
    const content = testAnnouncementOf({ kind, userId }, { name: listing }, receivedAt);
    const queue = queueName('channel', await communityOfGuild(sql, guildId), channelId);
    await enqueue(sql, [newEffect(announcementKind, { deliveryId: id, queue, content, createdAt: now })]);
  },
};

/** Which test of a listing is announced in which channel. `since` in ms since the epoch. */
interface AnnouncedTest {
  readonly listing: string;
  readonly guildId: string;
  readonly channelId: string;
  readonly since: number;
}

/** The tests of votes that a listing has received since a time (ms since the epoch), the newest first. */
async function testsSince({ db, connection }: Sql, listing: string, since: number) {
  const tests = db
    .selectFrom('deliveries')
    .select(['id', 'listing', 'kind', 'user_id', 'received_at', 'family'])
    // Written as a literal twice, so that both databases use the index of unusual outcomes.
    .where('outcome', '<>', literal('recorded'))
    .where('outcome', '=', literal('test'))
    .orderBy('id', 'desc')
    .limit(searchedTests);
  const rows = await run(connection, tests);
  return rows
    .filter((row) => row.listing === listing && row.received_at >= since)
    .toSorted((a, b) => b.received_at - a.received_at);
}

export type SettingsStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;

function guilds({ db }: Pick<Sql, 'db'>) {
  return db.selectFrom('guilds').select(['guild_id', 'version', 'parked_at']);
}

const findGuilds = preparedStatement<{ ids: readonly string[] }>()((db, placeholder) =>
  guilds({ db }).where('guild_id', 'in', placeholder('ids')),
);
const findChanges = preparedStatement<{ guildId: string; before: number; limit: number }>()((db, placeholder) =>
  changesOf({ db }, placeholder('guildId'))
    .where('id', '<', placeholder('before'))
    .orderBy('id', 'desc')
    .limit(placeholder('limit')),
);

function changesOf({ db }: Pick<Sql, 'db'>, guildId: string) {
  return db.selectFrom('setting_changes').selectAll().where('guild_id', '=', guildId);
}

async function withSettings({ db, connection }: Sql, rows: readonly GuildRow[]): Promise<StoredCommunity[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ guild_id }) => guild_id);
  const stored = await run(connection, db.selectFrom('setting_values').selectAll().where('guild_id', 'in', ids));
  const byGuild = Map.groupBy(stored, ({ guild_id }) => guild_id);
  const links = db.selectFrom('changed_settings').select(['guild_id', 'listing', 'before_value']).distinct();
  // A literal, so that both databases use the index of links.
  const former = await run(connection, links.where('path', '=', literal(linkPath)).where('guild_id', 'in', ids));
  const formerByGuild = Map.groupBy(former, ({ guild_id }) => guild_id);
  return rows.map(({ guild_id: guildId, version, parked_at: parkedAt }) => ({
    guildId,
    version,
    parkedAt,
    formerLinks: (formerByGuild.get(guildId) ?? []).flatMap(({ listing, before_value: value }) =>
      value === null ? [] : [{ listing, value }],
    ),
    settings: (byGuild.get(guildId) ?? []).map(({ listing, path, value, sealed }) => ({
      listing,
      path,
      value,
      sealed,
    })),
  }));
}

async function withValues(
  { db, connection }: Sql,
  guildId: string,
  rows: readonly ChangeRow[],
): Promise<StoredChange[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const changed = db.selectFrom('changed_settings').selectAll().where('guild_id', '=', guildId);
  const values = await run(connection, changed.where('change_id', 'in', ids).orderBy('position'));
  const undoing = db.selectFrom('setting_changes').select(['id', 'undoes']).where('guild_id', '=', guildId);
  const undone = await run(connection, undoing.where('undoes', 'in', ids));
  const byChange = Map.groupBy(values, ({ change_id }) => change_id);
  return rows.map(({ id, at, author_id: authorId, undoes }) => ({
    id,
    at,
    authorId,
    undoes,
    undoneBy: undone.find((each) => each.undoes === id)?.id ?? null,
    changes: (byChange.get(id) ?? []).map(toChangedValue),
  }));
}

function noCommunity(guildId: string): StoredCommunity {
  return { guildId, version: 0, parkedAt: null, settings: [], formerLinks: [] };
}

type GuildRow = Pick<Selectable<Tables['guilds']>, 'guild_id' | 'version' | 'parked_at'>;
type ChangeRow = Selectable<Tables['setting_changes']>;

function toChangedValue(row: Selectable<Tables['changed_settings']>): ChangedValue {
  const { listing, path } = row;
  return {
    listing,
    path,
    before: toValue(row.before_value, row.before_sealed),
    after: toValue(row.after_value, row.after_sealed),
  };
}

function toValue(value: string | null, sealed: string | null): StoredValue | null {
  return value === null ? null : { value, sealed };
}

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
 * True if another guild has or had a listing with one of these names. Votes, counts and what waits are stored by the
 * name of the listing, so it stays with the guild that it was generated for.
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
 * Increases the version of the settings. Locks its row until the commit, so that versions become visible in their
 * order.
 */
export async function nextVersion({ db, connection }: SqlAccess): Promise<SettingsState> {
  const insert = db.insertInto('settings_state').values({ id: 1, version: 1, key_id: null });
  const next = { version: kyselySql<number>`settings_state.version + 1` };
  const upsert = insert.onConflict((conflict) => conflict.column('id').doUpdateSet(next));
  const [state] = await run(connection, upsert.returning(['version', 'key_id']));
  if (state === undefined) throw new Error('The version of the settings could not be increased.');
  return { version: state.version, keyId: state.key_id };
}
