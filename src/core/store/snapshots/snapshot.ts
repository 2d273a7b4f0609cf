import type { DatabaseSnapshot } from '@tallyhook/platform/database/snapshots/snapshot';
import { CompiledQuery } from 'kysely';
import type { SqlAccess } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** A snapshot of the bot's database. `Own` are the tables of features that it is read for. */
export type Snapshot<Own = unknown> = DatabaseSnapshot<Tables & Own>;

/** The snapshot for statements that are also run on the connections of the store. */
export function accessTo({ db, run }: Snapshot): SqlAccess {
  return {
    db,
    connection: {
      run: ({ sql, parameters }) => run({ compile: () => CompiledQuery.raw(sql, [...parameters]) }),
    },
  };
}
