import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import type { CommunityStores } from '../../settings/stored-settings.ts';
import type { Tables } from '../tables.ts';
import type { Write } from '../writes/writes.ts';
import { sqlGuilds } from './guilds.ts';
import { sqlRekey } from './sealed-settings.ts';
import { sqlSettings } from './settings.ts';

/** What is stored of communities, over SQL. */
export function sqlCommunityStores(db: Kysely<Tables>, reading: Connection, write: Write): CommunityStores {
  return {
    settings: sqlSettings(db, reading, write),
    rekey: sqlRekey(db, reading, write),
    guilds: sqlGuilds(db, reading, write),
  };
}
