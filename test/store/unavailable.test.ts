import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { minute } from '../../src/platform/durations.ts';
import { createWriter } from '../../src/store/commits/writer.ts';
import { sqlite } from '../../src/store/dialect/sqlite.ts';
import { migrate } from '../../src/store/migrations/migrate.ts';
import { openStore } from '../../src/store/store.ts';
import { createJob } from '../../src/store/writes/writes.ts';
import { receiving } from '../support/receiving.ts';
import { tempDir } from '../support/temp-dir.ts';

const vote = (userId: string) => ({ event: 'server_vote', userId, timestamp: '2025-12-31T23:00:00Z' });

describe('a database that somebody else has locked', () => {
  it('is answered with 503 and Retry-After within 5 seconds, keeps nothing, and recovers by itself', {
    timeout: 15_000,
  }, async () => {
    const path = join(tempDir(), 'tally.db');
    const { post, store, url } = await receiving({ databaseUrl: `sqlite:${path}`, clock: systemClock });
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    const began = Date.now();
    const refused = post('/webhooks/vote', vote('1'));
    const alive = await fetch(`${url}/nothing`);
    expect(alive.status).toBe(404);
    expect(Date.now() - began).toBeLessThan(1_000);
    const answer = await refused;
    expect(Date.now() - began).toBeLessThan(5_000);
    expect(answer).toMatchObject({ status: 503, json: { success: false } });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);

    const patient = post('/webhooks/vote', vote('2'));
    setTimeout(() => other.exec('ROLLBACK'), 500);
    expect(await patient).toMatchObject({ status: 200, json: { outcome: 'recorded' } });
    expect(await store.ledger.account('1')).toMatchObject({ credits: 0 });
    other.close();
  });
});

describe('a probe of a database that somebody else has locked', () => {
  it('is not repeated for a while, until a delivery is stored', { timeout: 15_000 }, async () => {
    const path = join(tempDir(), 'tally.db');
    const { post, store } = await receiving({ databaseUrl: `sqlite:${path}`, clock: systemClock });
    const other = new DatabaseSync(path);
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    await expect(store.probe()).rejects.toMatchObject({ code: 'store_unavailable' });
    const began = performance.now();
    await expect(store.probe()).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(performance.now() - began).toBeLessThan(1_000);

    other.exec('ROLLBACK');
    expect(await post('/webhooks/vote', vote('1'))).toMatchObject({ status: 200 });
    await expect(store.probe()).resolves.toBeUndefined();
  });
});

describe('a database from a newer version', () => {
  it('is refused with a sentence that names the cure', async () => {
    const path = join(tempDir(), 'tally.db');
    await migrate(sqlite(path), systemClock);
    const database = new DatabaseSync(path);
    database.exec("INSERT INTO kysely_migration (name, timestamp) VALUES ('999-from-the-future', '2030')");
    database.close();
    await expect(openStore(`sqlite:${path}`, systemClock)).rejects.toMatchObject({
      code: 'database_too_new',
      message: expect.stringContaining('999-from-the-future'),
      cure: expect.stringContaining('newer version'),
    });
  });
});

describe('a database that cannot be opened', () => {
  it('is told with a sentence and a cure', async () => {
    const directory = tempDir();
    for (const url of [`sqlite:${directory}`, 'postgres://nobody@127.0.0.1:9/nothing']) {
      await expect(openStore(url, systemClock), url).rejects.toMatchObject({
        code: 'cannot_open_database',
        cure: expect.stringContaining('DATABASE_URL'),
      });
    }
  });
});

describe('a database that takes no more', () => {
  it.each([
    ['is full', 'PRAGMA max_page_count = 1'],
    ['may only be read', 'PRAGMA query_only = ON'],
  ])('because it %s is no fault of what is written', async (_, pragma) => {
    const dialect = sqlite(join(tempDir(), 'tally.db'));
    onTestFinished(() => dialect.close());
    await migrate(dialect, systemClock);
    const writer = createWriter(dialect);
    await dialect.writing.run({ sql: pragma, parameters: [] });
    const large = createJob('acquire', ['x'.repeat(100_000), 1, minute, 1_000]);
    expect(await writer.commit([large])).toMatchObject({ status: 'unavailable' });
  });
});
