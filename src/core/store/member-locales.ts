import type { MemberLocales } from '../../discord/member-languages.ts';
import { run, upsert } from './query-builder.ts';
import type { SqlOperations } from './sql-module.ts';

export const reads: SqlOperations<Pick<MemberLocales, 'localeOf'>> = {
  async localeOf({ db, connection }, userId) {
    const query = db.selectFrom('member_languages').select('locale').where('user_id', '=', userId);
    const [row] = await run(connection, query);
    return row?.locale ?? null;
  },
};

export const writes: SqlOperations<Pick<MemberLocales, 'setLocale'>> = {
  async setLocale(sql, user_id, locale) {
    await upsert(sql, 'member_languages', { user_id }, { locale });
  },
};
