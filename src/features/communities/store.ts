import { isSnowflake } from '@tallyhook/platform/snowflake';
import type { NewEffect } from '../../core/outbox/effect-kind.ts';
import { enqueue } from '../../core/store/outbox/enqueue.ts';
import { literal, run } from '../../core/store/query-builder.ts';
import { nextVersion } from '../../core/store/settings/store.ts';
import type { Sql, SqlClient } from '../../core/store/sql-module.ts';

const changesAtOnce = 200;

/** The state of a community: in use, missing or parked. Times are ms since the epoch. */
export type GuildState = ReturnType<typeof toState>;

/** Who parked a community: the program, because the bot was removed. */
export const byTallyhook = 'tallyhook';

/* The communities that have stored settings. */

export const reads = {
  async list({ db, connection }: Sql): Promise<readonly GuildState[]> {
    return (await run(connection, guilds(db).orderBy('guild_id'))).map(toState);
  },

  /** Null if nothing was ever stored of the community. */
  async find({ db, connection }: Sql, guildId: string): Promise<GuildState | null> {
    return (await run(connection, guilds(db).where('guild_id', '=', guildId))).map(toState)[0] ?? null;
  },

  /** The member who last changed its settings; null if that was the operator, or the member was forgotten. */
  async lastAuthor({ db, connection }: Sql, guildId: string): Promise<string | null> {
    const changes = db.selectFrom('setting_changes').select('author_id').where('guild_id', '=', guildId);
    const [last] = await run(connection, changes.orderBy('id', 'desc').limit(literal(1)));
    return last !== undefined && isSnowflake(last.author_id) ? last.author_id : null;
  },
};

export const writes = {
  async setMissing({ db, connection }: Sql, guildId: string, since: number | null): Promise<void> {
    await run(connection, db.updateTable('guilds').set({ missing_since: since }).where('guild_id', '=', guildId));
  },

  /** Parks a community, with a message, or unparks it (null). False if {@link byTallyhook} and it was parked before. */
  async setParked(
    sql: Sql,
    guildId: string,
    parked: { readonly at: number; readonly by: string } | null,
    message: NewEffect | null = null,
  ): Promise<boolean> {
    const { version } = await nextVersion(sql);
    const state = { parked_at: parked?.at ?? null, parked_by: parked?.by ?? null, notices: 0, version };
    const update = sql.db.updateTable('guilds').set({ ...state, ...(parked === null && { missing_since: null }) });
    const ofGuild = update.where('guild_id', '=', guildId);
    const unparked = parked?.by === byTallyhook ? ofGuild.where('parked_at', 'is', null) : ofGuild;
    const updated = await run(sql.connection, unparked.returning('guild_id'));
    if (updated.length > 0 && message !== null) await enqueue(sql, [message]);
    return updated.length > 0;
  },

  /** Notes how many notices were given, with the message of the last one. False if it was noted before. */
  async noteNotice(sql: Sql, guildId: string, notices: number, message: NewEffect | null): Promise<boolean> {
    const note = sql.db.updateTable('guilds').set({ notices }).where('guild_id', '=', guildId);
    const noted = await run(sql.connection, note.where('notices', '<', notices).returning('guild_id'));
    if (noted.length > 0 && message !== null) await enqueue(sql, [message]);
    return noted.length > 0;
  },

  /** Deletes the webhook secrets, so that no process receives votes any more. True if there were some. */
  async deleteWebhookSecrets(sql: Sql, guildId: string): Promise<boolean> {
    const { version } = await nextVersion(sql);
    const secrets = sql.db.deleteFrom('setting_values').where('guild_id', '=', guildId);
    const paths = ['voteSecrets', 'premiumSecrets'];
    const deleted = await run(sql.connection, secrets.where('path', 'in', paths).returning('path'));
    if (deleted.length > 0) await setVersion(sql, guildId, version);
    return deleted.length > 0;
  },

  /** Deletes settings, secrets and history, some rows per transaction. True if it has to be called again. */
  async deleteSettings(sql: Sql, guildId: string): Promise<boolean> {
    const { db, connection } = sql;
    const changes = db.selectFrom('setting_changes').select('id').where('guild_id', '=', guildId);
    const ids = (await run(connection, changes.orderBy('id').limit(changesAtOnce))).map(({ id }) => id);
    if (ids.length > 0) {
      const changed = db.deleteFrom('changed_settings').where('guild_id', '=', guildId);
      await run(connection, changed.where('change_id', 'in', ids));
      await run(connection, db.deleteFrom('setting_changes').where('id', 'in', ids));
    }
    await run(connection, db.deleteFrom('setting_values').where('guild_id', '=', guildId));
    const { version } = await nextVersion(sql);
    // The row stays, so that every process finds out; it has no settings any more.
    await setVersion(sql, guildId, version);
    return ids.length === changesAtOnce;
  },
};

export type GuildStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;

function guilds(db: Sql['db']) {
  return db.selectFrom('guilds').select((eb) => [
    ...(['guild_id', 'missing_since', 'parked_at', 'parked_by', 'notices'] as const),
    eb
      .selectFrom('setting_changes')
      .select((changes) => changes.fn.max('at').as('at'))
      .whereRef('setting_changes.guild_id', '=', 'guilds.guild_id')
      .as('changed_at'),
  ]);
}

function toState(row: Awaited<ReturnType<ReturnType<typeof guilds>['execute']>>[number]) {
  const { guild_id: guildId, missing_since: missingSince, parked_at: parkedAt, parked_by: parkedBy } = row;
  return {
    guildId,
    /** When the bot was first found to be missing; null while it is there. */
    missingSince,
    parkedAt,
    /** A user id, or {@link byTallyhook}. */
    parkedBy,
    /** When its settings were last changed; null if they never were. */
    changedAt: row.changed_at,
    notices: row.notices,
  };
}

async function setVersion({ db, connection }: Sql, guildId: string, version: number): Promise<void> {
  await run(connection, db.updateTable('guilds').set({ version }).where('guild_id', '=', guildId));
}
