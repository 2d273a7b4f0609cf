import type { Kysely } from 'kysely';
import type { StoredCommand } from '../../../discord/registration/command-registry.ts';
import type { Connection } from '../../../platform/database/dialect.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** Changes to the command registry, for use inside a transaction of `connection`. */
export function commandRegistryWrites(db: Kysely<Tables>, connection: Connection) {
  return {
    async saveCommand({ id, applicationId, guildId, name, definition }: StoredCommand): Promise<void> {
      const row = { application_id: applicationId, guild_id: guildId, name, definition };
      const insert = db.insertInto('registered_commands').values({ id, ...row });
      await run(
        connection,
        insert.onConflict((conflict) => conflict.column('id').doUpdateSet(row)),
      );
    },

    async removeCommand(id: string): Promise<void> {
      await run(connection, db.deleteFrom('registered_commands').where('id', '=', id));
    },
  };
}
