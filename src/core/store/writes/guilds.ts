import { type Kysely, sql } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import type { NewEffect } from '../../outbox/outbox.ts';
import { byTallyhook } from '../../settings/stored-settings.ts';
import { enqueue } from '../outbox/enqueue.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** Changes of a guild per transaction. */
const changesAtOnce = 200;

/** The states of communities, for use inside a transaction of `connection`. */
export function guildWrites(db: Kysely<Tables>, connection: Connection) {
  return {
    async setGuildMissing(guildId: string, since: number | null): Promise<void> {
      await run(connection, db.updateTable('guilds').set({ missing_since: since }).where('guild_id', '=', guildId));
    },

    async setGuildParked(
      guildId: string,
      parked: { readonly at: number; readonly by: string } | null,
      message: NewEffect<'directMessage'> | null,
    ): Promise<boolean> {
      const version = await nextVersion();
      const state = { parked_at: parked?.at ?? null, parked_by: parked?.by ?? null, notices: 0, version };
      const update = db.updateTable('guilds').set({ ...state, ...(parked === null && { missing_since: null }) });
      const ofGuild = update.where('guild_id', '=', guildId);
      const unparked = parked?.by === byTallyhook ? ofGuild.where('parked_at', 'is', null) : ofGuild;
      const updated = await run(connection, unparked.returning('guild_id'));
      if (updated.length > 0 && message !== null) await enqueue({ db, connection }, [message]);
      return updated.length > 0;
    },

    async noteGuildNotice(
      guildId: string,
      notices: number,
      message: NewEffect<'directMessage'> | null,
    ): Promise<boolean> {
      const note = db.updateTable('guilds').set({ notices }).where('guild_id', '=', guildId);
      const noted = await run(connection, note.where('notices', '<', notices).returning('guild_id'));
      if (noted.length > 0 && message !== null) await enqueue({ db, connection }, [message]);
      return noted.length > 0;
    },

    async deleteWebhookSecrets(guildId: string): Promise<boolean> {
      const version = await nextVersion();
      const secrets = db.deleteFrom('setting_values').where('guild_id', '=', guildId);
      const paths = ['voteSecrets', 'premiumSecrets'];
      const deleted = await run(connection, secrets.where('path', 'in', paths).returning('path'));
      if (deleted.length > 0)
        await run(connection, db.updateTable('guilds').set({ version }).where('guild_id', '=', guildId));
      return deleted.length > 0;
    },

    async deleteGuildSettings(guildId: string): Promise<boolean> {
      const changes = db.selectFrom('setting_changes').select('id').where('guild_id', '=', guildId);
      const ids = (await run(connection, changes.orderBy('id').limit(changesAtOnce))).map(({ id }) => id);
      if (ids.length > 0) {
        const changed = db.deleteFrom('changed_settings').where('guild_id', '=', guildId);
        await run(connection, changed.where('change_id', 'in', ids));
        await run(connection, db.deleteFrom('setting_changes').where('id', 'in', ids));
      }
      await run(connection, db.deleteFrom('setting_values').where('guild_id', '=', guildId));
      const version = await nextVersion();
      // The row stays, so that every process finds out; it has no settings any more.
      await run(connection, db.updateTable('guilds').set({ version }).where('guild_id', '=', guildId));
      return ids.length === changesAtOnce;
    },
  };

  /** Locks the row of versions until the commit, so that they become visible in their order. */
  async function nextVersion(): Promise<number> {
    const insert = db.insertInto('settings_state').values({ id: 1, version: 1, key_id: null });
    const next = { version: sql<number>`settings_state.version + 1` };
    const upsert = insert.onConflict((conflict) => conflict.column('id').doUpdateSet(next)).returning('version');
    const [state] = await run(connection, upsert);
    if (state === undefined) throw new Error('The version of the settings could not be increased.');
    return state.version;
  }
}
