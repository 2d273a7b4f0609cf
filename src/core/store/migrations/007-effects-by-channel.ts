import { type Kysely, sql } from 'kysely';

/**
 * Waiting effects by channel, because effects are claimed by channel: a search by due time alone would pass through the
 * backlog of every paused channel.
 */
export const effectsByChannel = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createIndex('effects_by_channel')
      .ifNotExists()
      .on('effects')
      .columns(['channel_id', 'due_at', 'id'])
      .where(sql<boolean>`state = 'waiting'`)
      .execute();
    await db.schema.dropIndex('effects_waiting').ifExists().execute();
  },
};
