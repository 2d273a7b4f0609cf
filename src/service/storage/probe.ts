import type { Database } from './database.ts';

/** Resolves if a transaction can be committed: one row is written. Rejects with what the driver throws. */
export async function probeDatabase(database: Database): Promise<void> {
  await database
    .insertInto('settings')
    .values({ name: 'readiness-probe', value: '1' })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: '1' }))
    .execute();
}
