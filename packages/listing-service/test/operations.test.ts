import { join } from 'node:path';
import { openDatabaseSnapshot } from '@tallyhook/platform/database/snapshots/open-snapshot';
import { describeOnPostgres } from '@tallyhook/platform/testing/databases';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serviceCommand } from '../src/cli/service-command.ts';
import { startService } from '../src/index.ts';
import { openDatabase } from '../src/storage/database.ts';
import { countDifferences, readServiceDatabaseStatus } from '../src/storage/database-format.ts';
import { readQueueState } from '../src/storage/deliveries/delivery-queue.ts';
import type { ServiceTables } from '../src/storage/tables.ts';
import { createBotDatabase } from '../testing/bot-database.ts';
import { captive } from '../testing/terminal.ts';

/** The parts of operations that depend on the database. */
function operationsTests(newUrl: () => string, isServer: boolean): void {
  async function started() {
    const database = newUrl();
    const options = { database, allowLoopbackTargets: true, seed: true, operationsPort: 0 };
    const service = await startService(options);
    onTestFinished(() => service.stop());
    return { database, service, operationsUrl: service.operationsUrl ?? '' };
  }

  it('is ready, and has metrics of the queue and the connections', async () => {
    const { service, operationsUrl } = await started();
    const [listing] = await service.listings();
    await service.setWebhook(listing?.id ?? '', {
      voteUrl: 'http://127.0.0.1:65533/',
      voteSecret: 'a secret of 16 bytes',
    });
    await service.castVote({ listingId: listing?.id ?? '', userId: '77', username: 'Ann' });
    expect(await (await fetch(`${operationsUrl}/readyz`)).json()).toMatchObject({ ready: true });
    const text = await (await fetch(`${operationsUrl}/metrics`)).text();
    expect(text).toContain('\ntallyhook_service_webhooks_waiting 1\n');
    expect(text).toContain('\ntallyhook_service_webhooks_paused 0\n');
    expect(text.includes('\ntallyhook_service_database_connections{state="open"}')).toBe(isServer);
  });

  it('finds counts that differ from the rows, and late deliveries', async () => {
    const { database: url, service } = await started();
    await service.stop();
    const database = await openDatabase(url);
    const [listing] = await database.selectFrom('listings').select('id').where('kind', '=', 'server').execute();
    const id = listing?.id ?? '';
    const delivery = {
      event: 'server_vote',
      test: 0,
      body: '{}',
      created_at: 5,
      attempts: 0,
      state: 'waiting',
    } as const;
    await database
      .insertInto('webhooks')
      .values({ listing_id: id, family: 'vote', url: 'https://bot.example', secret: 's', failures: 0 })
      .execute();
    await database
      .insertInto('deliveries')
      .values({ ...delivery, id: 'late', listing_id: id, family: 'vote', next_attempt_at: 5 })
      .execute();
    const read = async () => {
      const snapshot = await openDatabaseSnapshot<ServiceTables>(url);
      try {
        const [all, sampled] = [await countDifferences(snapshot), await countDifferences(snapshot, 10)];
        expect(sampled).toEqual(all);
        return { differences: all, queue: await readQueueState(snapshot, 9) };
      } finally {
        await snapshot.close();
      }
    };
    expect(await read()).toEqual({ differences: [], queue: { waiting: 1, paused: 0, dueSince: 5 } });
    await database.updateTable('review_counts').set({ rating_sum: 1 }).where('listing_id', '=', id).execute();
    await database.deleteFrom('vote_counts').where('listing_id', '=', id).execute();
    await database.destroy();
    const { differences } = await read();
    expect(differences.map(({ listingId, what }) => `${listingId} ${what}`)).toEqual([`${id} votes`, `${id} reviews`]);
    expect(differences[0]).toMatchObject({ counted: 0, rows: expect.any(Number) });
    expect(differences[0]?.rows).toBeGreaterThan(0);
  });

  it("tells its database from an empty one and from the bot's", async () => {
    const { database } = await started();
    expect(await readServiceDatabaseStatus(database)).toEqual({ state: 'current' });
    expect(await readServiceDatabaseStatus(newUrl())).toEqual({ state: 'absent' });
    const bot = newUrl();
    await createBotDatabase(bot);
    expect(await readServiceDatabaseStatus(bot)).toEqual({ state: 'foreign', owner: 'the bot' });
    const { terminal, output } = captive(undefined, { SERVICE_DATABASE_URL: bot });
    expect(await serviceCommand(['sign-in', '--user', '1', '--name', 'Ann'], terminal)).toBe(1);
    expect(output()).toContain('the bot');
  });
}

describe('the operations of the service on SQLite', () => {
  operationsTests(() => `sqlite:${join(tempDir(), 'service.db')}`, false);
});

describeOnPostgres('the operations of the service on PostgreSQL', (server) => {
  operationsTests(() => server().newDatabase(), true);
});
