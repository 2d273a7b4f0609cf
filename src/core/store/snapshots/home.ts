import { CompiledQuery } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { homeAfter, readHome } from '../installation/store.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * The guild of the home community with these settings, see `fixHome`; nothing is stored.
 * @param candidate the guild of the first listing of the settings @param configured the guilds of all listings
 */
export async function homeIn(
  { db, run }: Snapshot,
  candidate: string | null,
  configured: readonly string[],
): Promise<string | null> {
  const connection: Connection = {
    run: ({ sql, parameters }) => run({ compile: () => CompiledQuery.raw(sql, [...parameters]) }),
  };
  return homeAfter({ db, connection }, await readHome({ db, connection }), { candidate, configured });
}
