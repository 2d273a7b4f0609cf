import { join } from 'node:path';
import { describeOnPostgres } from '@tallyhook/platform/testing/databases';
import { runSql } from '@tallyhook/platform/testing/run-sql';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it } from 'vitest';
import { readDatabaseStatus } from '../../../../src/core/store/snapshots/snapshot.ts';
import { createDatabaseWithVotes } from '../../../support/database-with-votes.ts';

function statusTests(newUrl: () => string): void {
  it('has the status absent, current or newer', async () => {
    const url = newUrl();
    expect(await readDatabaseStatus(url)).toEqual({ state: 'absent' });
    await createDatabaseWithVotes(url, []);
    expect(await readDatabaseStatus(url)).toEqual({ state: 'current' });
    await runSql(url, "INSERT INTO kysely_migration (name, timestamp) VALUES ('999-from-the-future', '2030')");
    expect(await readDatabaseStatus(url)).toEqual({ state: 'newer', unknown: ['999-from-the-future'] });
  });
}

describe('a SQLite file', () => statusTests(() => `sqlite:${join(tempDir(), 'tally.db')}`));
describeOnPostgres('a PostgreSQL database', (server) => {
  statusTests(() => server().newDatabase());

  it('is unreadable without a server', async () => {
    expect(await readDatabaseStatus('postgres://nobody@127.0.0.1:1/nothing')).toMatchObject({ state: 'unreadable' });
  });
});
