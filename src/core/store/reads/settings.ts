import type { Kysely, Selectable } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import type {
  ChangedValue,
  SettingsStore,
  StoredChange,
  StoredCommunity,
  StoredValue,
} from '../../settings/stored-settings.ts';
import { literal, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import type { Write } from '../writes/writes.ts';

/** Communities per statement: SQLite accepts 32,766 parameters. */
const communitiesPerQuery = 1_000;
/** The newest test deliveries, among which those of a listing are searched. A test is sent by hand. */
const searchedTests = 2_000;

/** The settings port over SQL. */
export function sqlSettings(db: Kysely<Tables>, reading: Connection, write: Write): SettingsStore {
  const guilds = db.selectFrom('guilds').select(['guild_id', 'version', 'parked_at']);

  async function withSettings(rows: readonly GuildRow[]): Promise<StoredCommunity[]> {
    if (rows.length === 0) return [];
    const ids = rows.map(({ guild_id }) => guild_id);
    const stored = await run(reading, db.selectFrom('setting_values').selectAll().where('guild_id', 'in', ids));
    const byGuild = Map.groupBy(stored, ({ guild_id }) => guild_id);
    const links = db.selectFrom('changed_settings').select(['guild_id', 'listing', 'before_value']).distinct();
    // A literal, so that both databases use the index of links.
    const former = await run(reading, links.where('path', '=', literal('link')).where('guild_id', 'in', ids));
    const formerByGuild = Map.groupBy(former, ({ guild_id }) => guild_id);
    return rows.map(({ guild_id: guildId, version, parked_at: parkedAt }) => ({
      ...{ guildId, version, parkedAt },
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

  async function withValues(guildId: string, rows: readonly ChangeRow[]): Promise<StoredChange[]> {
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const changed = db.selectFrom('changed_settings').selectAll().where('guild_id', '=', guildId);
    const values = await run(reading, changed.where('change_id', 'in', ids).orderBy('position'));
    const undoing = db.selectFrom('setting_changes').select(['id', 'undoes']).where('guild_id', '=', guildId);
    const undone = await run(reading, undoing.where('undoes', 'in', ids));
    const byChange = Map.groupBy(values, ({ change_id }) => change_id);
    return rows.map(({ id, at, author_id: authorId, undoes }) => ({
      ...{ id, at, authorId, undoes },
      undoneBy: undone.find((each) => each.undoes === id)?.id ?? null,
      changes: (byChange.get(id) ?? []).map(toChangedValue),
    }));
  }

  const changesOf = (guildId: string) => db.selectFrom('setting_changes').selectAll().where('guild_id', '=', guildId);

  return {
    async state() {
      const state = db.selectFrom('settings_state').select(['version', 'key_id']).where('id', '=', literal(1));
      const [row] = await run(reading, state);
      return { version: row?.version ?? 0, keyId: row?.key_id ?? null };
    },
    async changedAfter(version) {
      const changed = db.selectFrom('guilds').select(['guild_id', 'version']).where('version', '>', version);
      const rows = await run(reading, changed.orderBy('version'));
      return rows.map(({ guild_id, version: newest }) => ({ guildId: guild_id, version: newest }));
    },
    async communities(guildIds) {
      const found: StoredCommunity[] = [];
      for (let start = 0; start < guildIds.length; start += communitiesPerQuery) {
        const ids = guildIds.slice(start, start + communitiesPerQuery);
        found.push(...(await withSettings(await run(reading, guilds.where('guild_id', 'in', ids)))));
      }
      const byId = new Map(found.map((community) => [community.guildId, community]));
      return guildIds.map((guildId) => byId.get(guildId) ?? noCommunity(guildId));
    },
    async communitiesAfter(guildId, limit) {
      const page = guilds.where('guild_id', '>', guildId).orderBy('guild_id').limit(limit);
      return withSettings(await run(reading, page));
    },
    save: (change) => write('saveSettings', change),
    async changes(guildId, { before, limit }) {
      const changes = changesOf(guildId).orderBy('id', 'desc').limit(limit);
      return withValues(guildId, await run(reading, before === null ? changes : changes.where('id', '<', before)));
    },
    async changesWithIds(guildId, ids) {
      if (ids.length === 0) return [];
      return withValues(guildId, await run(reading, changesOf(guildId).where('id', 'in', ids).orderBy('id')));
    },
    async changeOfInteraction(guildId, interactionId) {
      const change = changesOf(guildId).where('interaction_id', '=', interactionId);
      return (await run(reading, change))[0]?.id ?? null;
    },
    async testSince(listing, since) {
      const tests = db
        .selectFrom('deliveries')
        .select(['listing', 'received_at'])
        // Written as a literal twice, so that both databases use the index of unusual outcomes.
        .where('outcome', '<>', literal('recorded'))
        .where('outcome', '=', literal('test'))
        .orderBy('id', 'desc')
        .limit(searchedTests);
      const rows = await run(reading, tests);
      const times = rows.filter((row) => row.listing === listing && row.received_at >= since);
      return times.length === 0 ? null : Math.max(...times.map((row) => row.received_at));
    },
  };
}

function noCommunity(guildId: string): StoredCommunity {
  return { guildId, version: 0, parkedAt: null, settings: [], formerLinks: [] };
}

type GuildRow = Pick<Selectable<Tables['guilds']>, 'guild_id' | 'version' | 'parked_at'>;
type ChangeRow = Selectable<Tables['setting_changes']>;

function toChangedValue(row: Selectable<Tables['changed_settings']>): ChangedValue {
  const { listing, path } = row;
  return {
    ...{ listing, path },
    before: toValue(row.before_value, row.before_sealed),
    after: toValue(row.after_value, row.after_sealed),
  };
}

function toValue(value: string | null, sealed: string | null): StoredValue | null {
  return value === null ? null : { value, sealed };
}
