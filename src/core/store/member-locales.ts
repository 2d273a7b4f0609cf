import type { MemberLocales } from '../../discord/member-languages.ts';
import { run } from './query-builder.ts';
import type { SqlOperations } from './sql-module.ts';

export const reads: SqlOperations<Pick<MemberLocales, 'localeOf'>> = {
  async localeOf({ db, connection }, userId) {
    const query = db.selectFrom('member_languages').select('locale').where('user_id', '=', userId);
    const [row] = await run(connection, query);
    return row?.locale ?? null;
  },
};

export const writes: SqlOperations<Pick<MemberLocales, 'setLocale'>> = {
  async setLocale({ db, connection }, user_id, locale) {
    const row = db.insertInto('member_languages').values({ user_id, locale });
    await run(
      connection,
      row.onConflict((conflict) => conflict.column('user_id').doUpdateSet({ locale })),
    );
  },
};
