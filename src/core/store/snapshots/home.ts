import { CompiledQuery } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { homeAfter, readHome } from '../writes/installation.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * The guild of the home community with these settings, see `Installation.home`; nothing is stored.
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
  const stored = await readHome(db, connection);
  return homeAfter(db, connection, { stored, candidate, configured });
}
