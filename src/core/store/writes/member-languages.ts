import type { Kysely } from 'kysely';
import type { Connection } from '../../../platform/database/dialect.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';

/** The languages of members, for use inside a transaction of `connection`. */
export function memberLanguageWrites(db: Kysely<Tables>, connection: Connection) {
  return {
    async setLocale(user_id: string, locale: string): Promise<void> {
      const row = db.insertInto('member_languages').values({ user_id, locale });
      await run(
        connection,
        row.onConflict((conflict) => conflict.column('user_id').doUpdateSet({ locale })),
      );
    },
  };
}
