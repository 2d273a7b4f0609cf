import { parseJson } from '@tallyhook/platform/json';
import { z } from 'zod';
import { run, type SqlAccess, upsert } from './query-builder.ts';
import type { Sql } from './sql-module.ts';

/*
 * A description of the program that uses a database, for `tallyhook doctor`: settings in code, and commands that a
 * program leaves out, are known to no other process.
 */

const notedListing = z.object({
  name: z.string(),
  kind: z.enum(['server', 'bot']),
  /** The name of another listing site; null for the document's service. */
  site: z.string().nullable(),
  channelId: z.string().nullable(),
  hasSecret: z.boolean(),
});

/** A listing of the operator, without its secrets. */
export type NotedListing = Readonly<z.infer<typeof notedListing>>;

export interface ProgramNote {
  /** Empty if no program has noted any. */
  readonly listings: readonly NotedListing[];
  /** The names of the commands that it answers; null if none has noted them. */
  readonly commands: readonly string[] | null;
}

/** The parts of the note, each of which is written by those processes that know it. */
const noteKeys = { listings: 'noted listings', commands: 'noted commands' } as const;

const schemas = { listings: z.array(notedListing), commands: z.array(z.string()) };

/** Reads what is stored by {@link noteKeys}. A later version may have another form, which counts as nothing. */
function parseNote(stored: ReadonlyMap<string, string>): ProgramNote {
  const read = (part: keyof typeof noteKeys) => parseJson(stored.get(noteKeys[part]) ?? '');
  return {
    listings: schemas.listings.safeParse(read('listings')).data ?? [],
    commands: schemas.commands.safeParse(read('commands')).data ?? null,
  };
}

/** Key of 32 random bytes (hex digits), which the first migration creates. */
export const secretKey = 'secret';

/** The secret of the installation, by which luck is decided. Never shown or logged. */
export async function secretOf({ db, connection }: SqlAccess): Promise<string> {
  const [row] = await run(connection, db.selectFrom('installation').select('value').where('key', '=', secretKey));
  if (row === undefined) throw new Error('The secret of the installation is missing from its database.');
  return row.value;
}

/* Notes of the programs that use the database. */

export const reads = {
  /** The note of the program that uses the database. */
  async note({ db, connection }: Sql): Promise<ProgramNote> {
    const keys = Object.values(noteKeys);
    const rows = await run(connection, db.selectFrom('installation').selectAll().where('key', 'in', keys));
    return parseNote(new Map(rows.map(({ key, value }) => [key, value])));
  },
};

export const writes = {
  async noteListings(sql: Sql, listings: readonly NotedListing[]): Promise<void> {
    await upsert(sql, 'installation', { key: noteKeys.listings }, { value: JSON.stringify(listings) });
  },

  async noteCommands(sql: Sql, names: readonly string[]): Promise<void> {
    await upsert(sql, 'installation', { key: noteKeys.commands }, { value: JSON.stringify(names) });
  },
};
