import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { createOffsetClock, passTime } from '@tallyhook/platform/testing/offset-clock';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createWriter } from '../../../src/core/store/commits/group-commit.ts';
import { sqlite } from '../../../src/core/store/dialect/sqlite.ts';
import { migrate } from '../../../src/core/store/migrations/index.ts';
import { storedFeatures } from '../../../src/features/index.ts';
import { openStore } from '../../../src/features/store.ts';
import { firstCommunity } from '../../support/communities.ts';
import { newSqliteFile } from '../../support/new-sqlite.ts';
import { startReceiver } from '../../support/start-receiver.ts';

const vote = (userId: string) => ({ event: 'server_vote', userId, timestamp: '2025-12-31T23:00:00Z' });

describe('a database that another connection has locked', () => {
  it('causes a 503 with Retry-After after other requests were answered, stores nothing, and recovers', async () => {
    const path = newSqliteFile();
    const clock = manualClock();
    const { post, store, url } = await startReceiver({ databaseUrl: `sqlite:${path}`, clock });
    const other = new DatabaseSync(path);
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    const rejected = post('/webhooks/vote', vote('1'));
    for (let sent = 0; sent < 5; sent += 1) expect((await fetch(`${url}/nothing`)).status).toBe(404);
    await eventually(() => expect(clock.sleepers()).toBe(1));
    await clock.advance(4 * second);
    await clock.advance(4 * second);
    const response = await rejected;
    expect(response).toMatchObject({ status: 503, json: { success: false } });
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);

    const delayed = post('/webhooks/vote', vote('2'));
    await eventually(() => expect(clock.sleepers()).toBe(1));
    other.exec('ROLLBACK');
    await clock.advance(second);
    expect(await delayed).toMatchObject({ status: 200, json: { outcome: 'recorded' } });
    expect(await store.ledgerIn(firstCommunity).account('1')).toMatchObject({ credits: 0 });
  });
});

describe('a probe of a locked database', () => {
  async function failed() {
    const path = newSqliteFile();
    const clock = createOffsetClock();
    const { post, store } = await startReceiver({ databaseUrl: `sqlite:${path}`, clock });
    const other = new DatabaseSync(path);
    onTestFinished(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    await expect(passTime(clock, store.probe())).rejects.toMatchObject({ code: 'store_unavailable' });
    const again = store.probe();
    expect(store.waiting()).toBe(0);
    await expect(again).rejects.toMatchObject({ code: 'store_unavailable' });
    other.exec('ROLLBACK');
    return { post, store, clock };
  }

  it('fails without a write for a while, until a delivery is stored', async () => {
    const { post, store } = await failed();
    expect(await post('/webhooks/vote', vote('1'))).toMatchObject({ status: 200 });
    const successful = store.probe();
    expect(store.waiting()).toBe(1);
    await expect(successful).resolves.toBeUndefined();
  });

  it('succeeds after a few seconds without a delivery', async () => {
    const { store, clock } = await failed();
    clock.advance(6 * second);
    await expect(store.probe()).resolves.toBeUndefined();
  });
});

describe('a database that cannot be opened', () => {
  it('is reported with a hint', async () => {
    const directory = tempDir();
    for (const [url, hint] of [
      [`sqlite:${directory}`, 'is a folder, not a file'],
      ['postgres://nobody@127.0.0.1:9/nothing', 'Check its address'],
    ] as const) {
      await expect(openStore(url, systemClock), url).rejects.toMatchObject({
        code: 'cannot_open_database',
        hint: expect.stringContaining(hint),
      });
    }
  });

  it('is reported with the command that gives the folder to the user of the process', async () => {
    // Not even root may create a file there, as an ordinary user may not in a volume that belongs to root.
    const hint = expect.stringContaining(`chown -R ${process.getuid?.()}:${process.getgid?.()} /sys`);
    await expect(openStore('sqlite:/sys/tallyhook.db', systemClock)).rejects.toMatchObject({
      code: 'cannot_open_database',
      hint,
    });
  });
});

describe('a database that is not writable', () => {
  it.each([
    ['is full', 'PRAGMA max_page_count = 1'],
    ['may only be read', 'PRAGMA query_only = ON'],
  ])('because it %s is reported as unavailable, not as a failed job', async (_, pragma) => {
    const dialect = sqlite(newSqliteFile());
    onTestFinished(() => dialect.close());
    await migrate(dialect, systemClock);
    const writer = createWriter(dialect, systemClock, storedFeatures);
    await dialect.openWriting().run({ sql: pragma, parameters: [] });
    const args = ['x'.repeat(100_000), 1, minute, 1_000] as never[];
    const large = { module: 'budgetStore', name: 'acquire', args };
    expect(await writer.commit([large])).toMatchObject({ status: 'unavailable' });
  });
});
