import { sql } from 'kysely';
import type { Migration } from '../../../platform/database/migrations/migration.ts';
import type { Dialect } from '../dialect/dialect.ts';

/** Who has made a correction. Most are written by programs and have no author, so the indexes are small. */
export function correctionAuthors({ columnIfNotExists }: Dialect): Migration {
  return {
    compatible: true,
    async up(db) {
      await sql`alter table corrections add column ${columnIfNotExists} author text`.execute(db);
      await sql`create index if not exists corrections_with_author on corrections (at) where author is not null`.execute(
        db,
      );
      await sql`create index if not exists corrections_author on corrections (author) where author is not null`.execute(
        db,
      );
    },
  };
}
