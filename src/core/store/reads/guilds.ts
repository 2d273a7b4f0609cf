import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { isSnowflake } from '../../../platform/snowflake.ts';
import type { GuildState, GuildStore } from '../../settings/stored-settings.ts';
import { literal, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import type { Write } from '../writes/writes.ts';
import { deleteGuildData } from './guild-data.ts';

/** The states of communities over SQL. */
export function sqlGuilds(db: Kysely<Tables>, reading: Connection, write: Write): GuildStore {
  const guilds = db.selectFrom('guilds').select((eb) => [
    ...(['guild_id', 'missing_since', 'parked_at', 'parked_by', 'notices'] as const),
    eb
      .selectFrom('setting_changes')
      .select((changes) => changes.fn.max('at').as('at'))
      .whereRef('setting_changes.guild_id', '=', 'guilds.guild_id')
      .as('changed_at'),
  ]);
  async function read(selected: typeof guilds): Promise<readonly GuildState[]> {
    const rows = await run(reading, selected);
    return rows.map(({ guild_id: guildId, missing_since: missingSince, ...row }) => {
      const { parked_at: parkedAt, parked_by: parkedBy, changed_at: changedAt, notices } = row;
      return { guildId, missingSince, parkedAt, parkedBy, changedAt, notices };
    });
  }

  return {
    list: () => read(guilds.orderBy('guild_id')),
    find: async (guildId) => (await read(guilds.where('guild_id', '=', guildId)))[0] ?? null,
    async lastAuthor(guildId) {
      const changes = db.selectFrom('setting_changes').select('author_id').where('guild_id', '=', guildId);
      const [last] = await run(reading, changes.orderBy('id', 'desc').limit(literal(1)));
      return last !== undefined && isSnowflake(last.author_id) ? last.author_id : null;
    },
    setMissing: (guildId, since) => write('setGuildMissing', guildId, since),
    setParked: (guildId, parked, message = null) => write('setGuildParked', guildId, parked, message),
    noteNotice: (guildId, notices, message) => write('noteGuildNotice', guildId, notices, message),
    deleteData: (guildId, signal) => deleteGuildData(db, reading, write, { guildId, signal }),
    deleteWebhookSecrets: (guildId) => write('deleteWebhookSecrets', guildId),
    deleteSettings: (guildId) => write('deleteGuildSettings', guildId),
  };
}
