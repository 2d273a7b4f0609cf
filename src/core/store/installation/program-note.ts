import { parseJson } from '@tallyhook/platform/json';
import { z } from 'zod';

/*
 * What the program that uses a database says of itself, for `tallyhook doctor`: settings in code, and commands that a
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
export const noteKeys = { listings: 'noted listings', commands: 'noted commands' } as const;

const schemas = { listings: z.array(notedListing), commands: z.array(z.string()) };

/** Reads what is stored by {@link noteKeys}. A later version may have another form, which counts as nothing. */
export function parseNote(stored: ReadonlyMap<string, string>): ProgramNote {
  const read = (part: keyof typeof noteKeys) => parseJson(stored.get(noteKeys[part]) ?? '');
  return {
    listings: schemas.listings.safeParse(read('listings')).data ?? [],
    commands: schemas.commands.safeParse(read('commands')).data ?? null,
  };
}
