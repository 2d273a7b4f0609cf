import type { Database, Sql } from './database.ts';

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

/** Resolves if a transaction can be committed: one row is written. Rejects with what the driver throws. */
export async function probeDatabase(database: Database): Promise<void> {
  await database
    .insertInto('settings')
    .values({ name: 'readiness-probe', value: '1' })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: '1' }))
    .execute();
}
