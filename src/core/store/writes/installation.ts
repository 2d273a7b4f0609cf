import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { homeKey, type SeparationState, separatedKey, serializeSeparation } from '../installation-keys.ts';
import { literal, run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import { lock } from './lock.ts';

/** What holds for the whole installation, for use inside a transaction of `connection`. */
export function installationWrites(db: Kysely<Tables>, connection: Connection) {
  async function save(key: string, value: string): Promise<void> {
    const row = db.insertInto('installation').values({ key, value });
    await run(
      connection,
      row.onConflict((conflict) => conflict.column('key').doUpdateSet({ value })),
    );
  }

  return {
    async fixHome(candidate: string | null, configured: readonly string[]): Promise<string | null> {
      await lock(connection, db, 'installation');
      const stored = await readHome(db, connection);
      const home = await homeAfter(db, connection, { stored, candidate, configured });
      if (home !== stored) await save(homeKey, home ?? '');
      return home;
    },

    /** Stores how far the entries of these listings are in accounts of their own. */
    async noteSeparated(listings: readonly string[], state: SeparationState): Promise<void> {
      for (const listing of listings) await save(separatedKey(listing), serializeSeparation(state));
    },
  };
}

/** The stored guild of the home community; null if its listings have none, undefined before it was stored. */
export async function readHome(db: Kysely<Tables>, connection: Connection): Promise<string | null | undefined> {
  const [row] = await run(connection, db.selectFrom('installation').select('value').where('key', '=', homeKey));
  return row === undefined ? undefined : row.value || null;
}

/** The guild of the home community with these settings. */
export async function homeAfter(
  db: Kysely<Tables>,
  connection: Connection,
  {
    stored,
    candidate,
    configured,
  }: {
    readonly stored: string | null | undefined;
    readonly candidate: string | null;
    readonly configured: readonly string[];
  },
): Promise<string | null> {
  if (stored === undefined || stored === null) return candidate;
  if (candidate === null || configured.includes(stored)) return stored;
  const accounts = db.selectFrom('balances').select('user_id').where('guild_id', '=', candidate);
  const [own] = await run(connection, accounts.where('guild_id', '<>', literal('')).limit(1));
  return own === undefined ? candidate : stored;
}
