import { type Kysely, sql } from 'kysely';
import type { Dialect } from '../dialect/dialect.ts';

/** The message that shows the progress of a party. */
export function partyPanels({ columnIfNotExists }: Dialect) {
  const columns = [
    'panel_channel text',
    'panel_goal bigint',
    'panel_credits bigint',
    'panel_ends_at bigint',
    'panel_due_at bigint',
    'panel_updated_at bigint not null default 0',
    'panel_message text',
    'panel_message_channel text',
  ];
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      for (const column of columns) {
        await sql`alter table parties add column ${columnIfNotExists} ${sql.raw(column)}`.execute(db);
      }
    },
  };
}
