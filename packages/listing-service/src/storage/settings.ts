import { day, minute } from '@tallyhook/platform/durations';
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

/** No lease is longer: one that is was taken before the clock was set back (ms). */
export const maxLeaseMs = 1 * day;

/**
 * Takes a lease on a task of all processes, or extends the own one. Another process gets it when it has ended.
 * @param lease.holder a random name of this process
 * @param lease.until when it ends; at most {@link maxLeaseMs} after `now` (ms since the epoch)
 * @returns false if another process has it
 */
export async function takeLease(
  sql: Sql,
  task: string,
  { holder, now, until }: { readonly holder: string; readonly now: number; readonly until: number },
): Promise<boolean> {
  const name = `lease:${task}`;
  const value = `${timeText(until)} ${holder}`;
  const { numInsertedOrUpdatedRows } = await sql
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ value })
        .where((row) =>
          row.or([
            row('settings.value', 'like', `% ${holder}`),
            row('settings.value', '<', timeText(now)),
            row('settings.value', '>', timeText(now + maxLeaseMs + minute)),
          ]),
        ),
    )
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** A time (ms since the epoch) as a text that is sorted like it. */
function timeText(at: number): string {
  return String(at).padStart(16, '0');
}

/** Resolves if a transaction can be committed: one row is written. Rejects with what the driver throws. */
export async function probeDatabase(database: Database): Promise<void> {
  await storeSetting(database, 'readiness-probe', '1');
}
