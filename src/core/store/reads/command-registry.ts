import type { Kysely } from 'kysely';
import type { CommandRegistry } from '../../../discord/registration/command-registry.ts';
import type { Connection } from '../../../platform/database/dialect.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import type { Write } from '../writes/writes.ts';

/** The command registry port over SQL. */
export function sqlCommandRegistry(db: Kysely<Tables>, reading: Connection, write: Write): CommandRegistry {
  const commands = db.selectFrom('registered_commands');
  return {
    async list(applicationId) {
      const rows = await run(reading, commands.selectAll().where('application_id', '=', applicationId).orderBy('id'));
      return rows.map(({ id, application_id, guild_id, name, definition }) => ({
        ...{ id, name, definition },
        applicationId: application_id,
        guildId: guild_id,
      }));
    },
    async has(id) {
      return (await run(reading, commands.select('id').where('id', '=', id))).length > 0;
    },
    save: (command) => write('saveCommand', command),
    remove: (id) => write('removeCommand', id),
  };
}
