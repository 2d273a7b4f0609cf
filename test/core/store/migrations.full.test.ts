import { join } from 'node:path';
import { systemClock } from '@tallyhook/platform/clock';
import { readMigrationState } from '@tallyhook/platform/database/migrations/applied';
import { describeOnPostgres } from '@tallyhook/platform/testing/databases';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { postgres } from '../../../src/core/store/dialect/postgres.ts';
import { migrationNames } from '../../../src/core/store/migrations/index.ts';
import { openStore } from '../../../src/features/store.ts';
import { botToken } from '../../support/bot-token.ts';
import { startProgram } from '../../support/start-program.ts';

function upgrades(newUrl: () => string): void {
  it('migrates once when several processes start at once', async () => {
    const url = newUrl();
    const environment = {
      DISCORD_TOKEN: botToken,
      DISCORD_API_URL: 'http://127.0.0.1:9/api',
      LOOKUP_BASE_URL: 'http://127.0.0.1:9/api/v1',
      LOOKUP_SERVER_KEY: 'server-key-for-tests',
      DATABASE_URL: url,
      // Two programs with all roles may not share a SQLite file.
      TALLYHOOK_ROLES: 'receive',
      CACHE_URL: 'memory:',
      PORT: '0',
    };
    const directory = tempDir();
    const running = Array.from({ length: 2 }, () => startProgram(['start'], environment, directory));
    for (const each of running) expect(await each.url()).toContain('http://127.0.0.1');
    const store = await openStore(url, systemClock);
    expect(await store.records.counts()).toMatchObject({ users: 0 });
    await store.close();
    for (const each of running) each.process.kill('SIGKILL');
  });
}

describe('an upgrade on SQLite', () => {
  upgrades(() => `sqlite:${join(tempDir(), 'tally.db')}`);
});

describeOnPostgres('an upgrade on PostgreSQL', (server) => {
  upgrades(() => server().newDatabase());

  it('reads what is applied while another process renames columns', async () => {
    const url = server().newDatabase();
    await (await openStore(url, systemClock, { thread: false })).close();
    const renaming = new pg.Client(url);
    await renaming.connect();
    const reading = postgres(url);
    let isDone = false;
    const renames = (async () => {
      for (let columns = ['queue', 'channel_id']; !isDone; columns = columns.toReversed())
        await renaming.query(`ALTER TABLE effects RENAME COLUMN ${columns[0]} TO ${columns[1]}`);
    })();
    for (let count = 0; count < 100; count += 1)
      expect((await readMigrationState(reading, reading.reading)).applied).toEqual(
        expect.arrayContaining([...migrationNames]),
      );
    isDone = true;
    await renames;
    await Promise.all([renaming.end(), reading.close()]);
  });
});
