import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '@tallyhook/platform/clock';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, it } from 'vitest';
import { storedFeatures } from '../../../src/features/index.ts';
import { openStore } from '../../../src/features/store.ts';

/** Columns that can have the id of a member. */
const memberColumns = ['user_id', 'account_id', 'author', 'body', 'content', 'queue', 'giver', 'buyer'];

it('every table of the database is exported and forgotten, or has no data of members', async () => {
  const path = join(tempDir(), 'tally.db');
  await (await openStore(`sqlite:${path}`, systemClock, { thread: false })).close();
  const database = new DatabaseSync(path);
  const tables = database
    .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
    .all()
    .map(({ name }) => String(name));
  const known: Readonly<Record<string, object>> = storedFeatures.memberTables;
  // The state of migrations.
  const unknown = tables.filter((name) => !Object.hasOwn(known, name) && !name.includes('migration'));
  expect(unknown).toEqual([]);
  const wrong = tables.filter((name) => {
    const columns = database.prepare(`pragma table_info(${name})`).all();
    const isHandled = Object.hasOwn(known, name) && 'forget' in (known[name] ?? {});
    return !isHandled && columns.some((column) => memberColumns.includes(String(column['name'])));
  });
  expect(wrong).toEqual([]);
  database.close();
});
