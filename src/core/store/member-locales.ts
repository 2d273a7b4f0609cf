import type { MemberLocales } from '../../discord/languages.ts';
import { preparedStatement, upsert } from './query-builder.ts';
import type { SqlOperations } from './sql-module.ts';

export const reads: SqlOperations<Pick<MemberLocales, 'localeOf'>> = {
  localeOf: async (sql, userId) => (await findLocale(sql, { userId }))[0]?.locale ?? null,
};

const findLocale = preparedStatement<{ userId: string }>()((db, placeholder) =>
  db.selectFrom('member_languages').select('locale').where('user_id', '=', placeholder('userId')),
);

export const writes: SqlOperations<Pick<MemberLocales, 'setLocale'>> = {
  async setLocale(sql, user_id, locale) {
    await upsert(sql, 'member_languages', { user_id }, { locale });
  },
};
