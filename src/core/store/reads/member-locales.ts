import type { Kysely } from 'kysely';
import type { MemberLocales } from '../../../discord/member-languages.ts';
import type { Connection } from '../../../platform/database/dialect.ts';
import { run } from '../query-builder.ts';
import type { Tables } from '../tables.ts';
import type { Write } from '../writes/writes.ts';

export function sqlMemberLocales(db: Kysely<Tables>, reading: Connection, write: Write): MemberLocales {
  return {
    async localeOf(userId) {
      const query = db.selectFrom('member_languages').select('locale').where('user_id', '=', userId);
      const [row] = await run(reading, query);
      return row?.locale ?? null;
    },
    setLocale: (userId, locale) => write('setLocale', userId, locale),
  };
}
