import type { Kysely } from 'kysely';
import type { GuildStore } from '../../settings/stored-settings.ts';
import type { Connection } from '../dialect/dialect.ts';
import { run } from '../query-builder.ts';
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
  return {
    async list() {
      const rows = await run(reading, guilds.orderBy('guild_id'));
      return rows.map(({ guild_id: guildId, missing_since: missingSince, ...row }) => {
        const { parked_at: parkedAt, parked_by: parkedBy, changed_at: changedAt, notices } = row;
        return { guildId, missingSince, parkedAt, parkedBy, changedAt, notices };
      });
    },
    setMissing: (guildId, since) => write('setGuildMissing', guildId, since),
    setParked: (guildId, parked) => write('setGuildParked', guildId, parked),
    noteNotice: (guildId, notices) => write('noteGuildNotice', guildId, notices),
    deleteData: (guildId, signal) => deleteGuildData(db, reading, write, { guildId, signal }),
    deleteSettings: (guildId) => write('deleteGuildSettings', guildId),
  };
}
