import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, test } from 'vitest';
import { type Database, openDatabase, type Sql } from '../src/storage/database.ts';
import { transact } from './transact.ts';

const names = async (database: Database) =>
  (await database.selectFrom('members').select('user_id').orderBy('user_id').execute()).map((row) => row.user_id);

const opened = () => openDatabase(`sqlite:${tempDir()}/service.db`);

const insert = (database: Sql, user_id: string) =>
  database.insertInto('members').values({ user_id, username: user_id });

test('transactions that wait for each other are all committed, and one that fails takes no other with it', async () => {
  const database = await opened();
  const results = await Promise.allSettled(
    Array.from({ length: 200 }, (_, index) =>
      database.transaction().execute(async (sql) => {
        await insert(sql, `1${String(index).padStart(3, '0')}`).execute();
        await sql.selectFrom('settings').selectAll().execute();
        if (index % 3 === 0) throw new Error('no');
      }),
    ),
  );
  const failed = results.filter(({ status }) => status === 'rejected').length;
  expect(failed).toBe(67);
  expect(await names(database)).toHaveLength(133);
  await database.destroy();
});

test('single statements, transactions at once and ordinary ones share the connection', async () => {
  const database = await opened();
  await Promise.all([
    insert(database, 'a').execute(),
    database.transaction().execute((sql) => insert(sql, 'b').execute()),
    transact(database, (execute) => execute("insert into members (user_id, username) values ('c', 'c')", [])),
    insert(database, 'd').execute(),
  ]);
  await expect(
    Promise.all([
      transact(database, (execute) => {
        execute("insert into members (user_id, username) values ('e', 'e')", []);
        throw new Error('no');
      }),
      insert(database, 'f').execute(),
    ]),
  ).rejects.toThrow('no');
  await expect(insert(database, 'a').execute()).rejects.toThrow('UNIQUE');
  expect(await names(database)).toEqual(['a', 'b', 'c', 'd', 'f']);
  await database.destroy();
});

test('transactions that follow each other without a pause leave turns of the event loop to requests', async () => {
  const database = await opened();
  let committed = 0;
  const turns: number[] = [];
  const countTurns = () => {
    turns.push(committed);
    if (committed < 200) setImmediate(countTurns);
  };
  setImmediate(countTurns);
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let index = 0; index < 50; index += 1) {
      await insert(database, `${writer}-${index}`).execute();
      committed += 1;
    }
  });
  await Promise.all(writers);
  expect(turns.length).toBeGreaterThan(20);
  await database.destroy();
});
