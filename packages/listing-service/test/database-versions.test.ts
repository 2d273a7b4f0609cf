import { readRows } from '@tallyhook/platform/testing/read-rows';
import { runSql } from '@tallyhook/platform/testing/run-sql';
import { expect, it } from 'vitest';
import { openDatabase } from '../src/storage/database.ts';
import { readServiceDatabaseStatus } from '../src/storage/database-format.ts';
import { describeOnBothDatabases } from '../testing/databases.ts';

describeOnBothDatabases('the database of the service', (newDatabase) => {
  async function recorded(address: string, name: string, isCompatible: boolean): Promise<void> {
    const database = await openDatabase(address);
    const values = (text: string, ...parameters: string[]) =>
      database.executeQuery({ ...database.selectFrom('settings').selectAll().compile(), sql: text, parameters });
    await values(`insert into kysely_migration (name, timestamp) values ('${name}', 'now')`);
    if (isCompatible) await values(`insert into compatible_migrations (name) values ('${name}')`);
    await database.destroy();
  }

  it('is rejected if a newer version has changed it, unless the change is compatible', async () => {
    const address = newDatabase();
    await recorded(address, '998-expand', true);
    await (await openDatabase(address)).destroy();
    await recorded(address, '999-contract', false);
    await expect(openDatabase(address)).rejects.toMatchObject({ code: 'database_too_new' });
  });

  it('is refused if a development version has written it, and stays as it is', async () => {
    const address = newDatabase();
    await (await openDatabase(address)).destroy();
    await runSql(address, "update kysely_migration set name = '001-first-tables'");
    const before = await readRows(address, 'kysely_migration');
    await expect(openDatabase(address)).rejects.toMatchObject({ code: 'database_unreleased' });
    expect(await readServiceDatabaseStatus(address)).toEqual({ state: 'unreleased' });
    expect(await readRows(address, 'kysely_migration')).toEqual(before);
  });

  it('stores hostile texts, also those that PostgreSQL cannot', async () => {
    const database = await openDatabase(newDatabase());
    const hostile = ["'); drop table votes; --", 'a\0b', 'half \ud83d', '\u202e', '$1 ? :x %s'];
    for (const [index, username] of hostile.entries()) {
      await database
        .insertInto('members')
        .values({ user_id: `${index}`, username })
        .execute();
    }
    const rows = await database.selectFrom('members').select('username').orderBy('user_id').execute();
    expect(rows.map(({ username }) => username.length)).toEqual(hostile.map(({ length }) => length));
    expect(rows[0]?.username).toBe(hostile[0]);
    await database.destroy();
  });

  it('names no password in an error', async () => {
    const address = 'postgres://tally:a-secret-password@127.0.0.1:1/tally';
    const error: unknown = await openDatabase(address).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'service_database' });
    expect(String(error) + JSON.stringify(error)).not.toContain('a-secret-password');
  });
});
