import type { Kysely } from 'kysely';

/**
 * A change of the schema, in its own transaction. It must tolerate its own result: an engine that commits before each
 * change of the schema may have executed it without recording it.
 */
export interface SchemaStep {
  readonly up: (db: Kysely<unknown>) => Promise<void>;
}

/**
 * A change of existing rows, in chunks. Each chunk is committed together with its cursor, so an interrupted backfill
 * continues where it was. Separate from the changes of the schema, because some engines cannot use a column in the
 * transaction that adds it.
 */
export interface BackfillStep {
  /** The number of rows to process, for the progress. */
  readonly total: (db: Kysely<unknown>) => Promise<number>;
  /** Processes the rows that follow the cursor of the previous chunk (null before the first). Null if there are none. */
  readonly chunk: (db: Kysely<unknown>, after: string | null) => Promise<Chunk | null>;
}

/** A processed chunk: the position of its last row, and the number of its rows. */
export interface Chunk {
  readonly cursor: string;
  readonly rows: number;
}

export type Step = SchemaStep | BackfillStep;

/** A single change of the schema, or several steps in order. */
export type Migration = (SchemaStep | { readonly steps: readonly Step[] }) & {
  /**
   * Whether the versions before this migration may run on the database during and after it, because it only adds what
   * they do not need: tables, indexes, and columns that are nullable or have a default. Such versions do not know what
   * it stores, so it must not give a new meaning to what they read. Default false.
   */
  readonly compatible?: boolean;
};

export function stepsOf(migration: Migration): readonly Step[] {
  return 'steps' in migration ? migration.steps : [migration];
}
