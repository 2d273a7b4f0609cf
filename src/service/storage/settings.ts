import type { Sql } from './database.ts';

/** A setting of the service itself. The first call creates and stores it. */
export async function storedSetting(sql: Sql, name: string, make: () => string): Promise<string> {
  await sql
    .insertInto('settings')
    .values({ name, value: make() })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { value } = await sql.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirstOrThrow();
  return value;
}
