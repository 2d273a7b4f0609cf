import type { CommandRegistry } from '../../../discord/registration/command-shape.ts';
import { run, upsert } from '../query-builder.ts';
import type { SqlOperations } from '../sql-module.ts';

export const reads: SqlOperations<Pick<CommandRegistry, 'list' | 'has'>> = {
  async list({ db, connection }, applicationId) {
    const commands = db
      .selectFrom('registered_commands')
      .select(['id', 'application_id as applicationId', 'guild_id as guildId', 'name', 'definition'])
      .where('application_id', '=', applicationId);
    return run(connection, commands.orderBy('id'));
  },

  async has({ db, connection }, id) {
    const command = db.selectFrom('registered_commands').select('id').where('id', '=', id);
    return (await run(connection, command)).length > 0;
  },
};

export const writes: SqlOperations<Pick<CommandRegistry, 'save' | 'remove'>> = {
  async save(sql, { id, applicationId, guildId, name, definition }) {
    const row = { application_id: applicationId, guild_id: guildId, name, definition };
    await upsert(sql, 'registered_commands', { id }, row);
  },

  async remove({ db, connection }, id) {
    await run(connection, db.deleteFrom('registered_commands').where('id', '=', id));
  },
};
