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

/** Stores a setting; null deletes it. */
export async function storeSetting(sql: Sql, name: string, value: string | null): Promise<void> {
  if (value === null) {
    await sql.deleteFrom('settings').where('name', '=', name).execute();
    return;
  }
  await sql
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/** Resolves if a transaction can be committed: one row is written. Rejects with what the driver throws. */
export async function probeDatabase(database: Database): Promise<void> {
  await storeSetting(database, 'readiness-probe', '1');
}
