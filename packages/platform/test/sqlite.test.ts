import { expect, it, vi } from 'vitest';
import { openSqlite, sqliteConnection } from '../src/sqlite.ts';

it('a connection to SQLite prepares a statement once, and does not keep every statement that it ever ran', async () => {
  const database = openSqlite(':memory:', { busyTimeoutMs: 20 });
  const prepared = vi.spyOn(database, 'prepare');
  const { run } = sqliteConnection(() => database);
  const select = (places: number) =>
    run({ sql: `select 1 where 1 in (${Array<string>(places).fill('?').join()})`, parameters: [] });
  for (let places = 1; places <= 1_001; places += 1) await select(places);
  await select(1_001);
  expect(prepared).toHaveBeenCalledTimes(1_001);
  await select(1);
  expect(prepared).toHaveBeenCalledTimes(1_002);
  database.close();
});
