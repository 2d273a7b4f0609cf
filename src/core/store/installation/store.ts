import { lock } from '../lock.ts';
import { literal, run, type SqlAccess, upsert } from '../query-builder.ts';
import type { Sql, SqlClient } from '../sql-module.ts';
import { type NotedListing, noteKeys, type ProgramNote, parseNote } from './program-note.ts';

/* What holds for the whole installation. */

/** The key of the guild of the home community; its value is empty if the listings of that community have no guild. */
export const homeKey = 'home';

/** The guilds that the settings name. */
interface NamedGuilds {
  /** That of the first listing; null if it has none, undefined without a listing. */
  readonly candidate: string | null | undefined;
  /** Those of all listings. */
  readonly configured: readonly string[];
}

export const reads = {
  /** The stored guild of the home community, and the one with these settings. */
  async home(
    sql: Sql,
    named: NamedGuilds,
  ): Promise<{ readonly stored: string | null | undefined; readonly home: string | null }> {
    const stored = await readHome(sql);
    return { stored, home: await homeAfter(sql, stored, named) };
  },

  /** What the program that uses the database has noted of itself. */
  async note({ db, connection }: Sql): Promise<ProgramNote> {
    const keys = Object.values(noteKeys);
    const rows = await run(connection, db.selectFrom('installation').selectAll().where('key', 'in', keys));
    return parseNote(new Map(rows.map(({ key, value }) => [key, value])));
  },
};

export const writes = {
  async fixHome(sql: Sql, named: NamedGuilds): Promise<string | null> {
    await lock(sql.connection, sql.db, 'installation');
    const stored = await readHome(sql);
    const home = await homeAfter(sql, stored, named);
    if (home !== stored) await upsert(sql, 'installation', { key: homeKey }, { value: home ?? '' });
    return home;
  },

  async noteListings(sql: Sql, listings: readonly NotedListing[]): Promise<void> {
    await upsert(sql, 'installation', { key: noteKeys.listings }, { value: JSON.stringify(listings) });
  },

  async noteCommands(sql: Sql, names: readonly string[]): Promise<void> {
    await upsert(sql, 'installation', { key: noteKeys.commands }, { value: JSON.stringify(names) });
  },
};

export type InstallationStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;

/** The stored guild of the home community; null if its listings have none, undefined before it was stored. */
export async function readHome({ db, connection }: SqlAccess): Promise<string | null | undefined> {
  const [row] = await run(connection, db.selectFrom('installation').select('value').where('key', '=', homeKey));
  return row === undefined ? undefined : row.value || null;
}

/**
 * The guild of the home community with these settings. Without a listing it is that of earlier settings, whose listings may
 * be linked in Discord since, so that its members keep their accounts; unless its members have others since.
 */
export async function homeAfter(
  { db, connection }: SqlAccess,
  stored: string | null | undefined,
  { candidate, configured }: NamedGuilds,
): Promise<string | null> {
  if (stored === undefined || stored === null) return candidate ?? null;
  if (candidate === undefined) return (await hasAccounts({ db, connection }, stored)) ? null : stored;
  if (candidate === null || configured.includes(stored)) return stored;
  return (await hasAccounts({ db, connection }, candidate)) ? stored : candidate;
}

/** Whether the guild has accounts of its own. */
async function hasAccounts({ db, connection }: SqlAccess, guildId: string): Promise<boolean> {
  const accounts = db.selectFrom('balances').select('user_id').where('guild_id', '=', guildId);
  return (await run(connection, accounts.where('guild_id', '<>', literal('')).limit(1))).length > 0;
}
