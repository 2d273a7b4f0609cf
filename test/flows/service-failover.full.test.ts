import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createLog } from '@tallyhook/platform/log';
import { describeOnOwnPostgres } from '@tallyhook/platform/testing/databases';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { isSkipped } from '@tallyhook/platform/testing/optional-programs';
import { postgresPrograms } from '@tallyhook/platform/testing/postgres';
import { startService } from 'listing-service';
import { ask, receiver } from 'listing-service/testing/running';
import { describe, expect, onTestFinished, test } from 'vitest';
import { signInVoters, storedVotes } from '../../packages/listing-service/test/voters.ts';
import { startCleanup } from '../../scripts/failover/cleanup.ts';
import { startPair } from '../../scripts/failover/postgres-pair.ts';
import { startNodeProxy } from '../../scripts/failover/switchover.ts';

/** @param fail ends the database, and calls `whileAway` before it is back */
async function voteDuringOutage(database: string, fail: (whileAway: () => Promise<void>) => Promise<void>) {
  const lines: string[] = [];
  const log = createLog({ level: 'debug', secrets: [], destination: { write: (line) => void lines.push(line) } });
  const { url, received } = await receiver();
  const service = await startService({ database, allowLoopbackTargets: true, log });
  onTestFinished(() => service.stop());
  const { listing, key } = await service.createListing({ kind: 'bot', discordId: '1', name: 'Bot' });
  await service.setWebhook(listing.id, { voteUrl: url });
  const voters = await signInVoters(database, service.url, 200);

  const waiting = [...voters];
  const acknowledged: string[] = [];
  const statuses = { votes: new Set<number>(), lookups: new Set<number>(), ready: new Set<number>() };
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
  });
  async function castVotes(): Promise<void> {
    for (let voter = waiting.shift(); voter !== undefined; voter = waiting.shift()) {
      while (!(await voter.vote('/bots/1'))) {
        statuses.votes.add(503);
        await wait(100);
      }
      acknowledged.push(voter.userId);
      await wait(10);
    }
  }
  async function lookUp(): Promise<void> {
    for (; !isOver; await wait(600)) {
      statuses.lookups.add((await ask(`${service.baseUrl}/bot`, { headers: { 'X-API-Key': key } })).status);
      statuses.ready.add((await ask(`${service.url}/readyz`)).status);
    }
  }
  const looking = lookUp();
  const voting = Promise.all([castVotes(), castVotes(), castVotes(), castVotes()]);
  await eventually(() => expect(acknowledged.length).toBeGreaterThan(50));
  await fail(async () => {
    await eventually(() => {
      for (const seen of Object.values(statuses)) expect(seen).toContain(503);
    });
    expect(waiting.length).toBeGreaterThan(0);
  });
  await voting;
  await eventually(async () => expect((await ask(`${service.url}/readyz`)).status).toBe(200));
  isOver = true;
  await looking;

  const all = voters.map(({ userId }) => userId).toSorted();
  const stored = await storedVotes(database, listing.id);
  expect(stored.voters).toEqual(all);
  expect(stored.deliveredVoters).toEqual(all);
  await eventually(() => {
    const sent = new Set(received.map(({ headers }) => headers['x-webhook-id']));
    expect(stored.deliveryIds.filter((id) => !sent.has(id))).toEqual([]);
  });
  expect(statuses.lookups).toEqual(new Set([200, 503]));
  expect(lines.filter((line) => /page failed|request failed/.test(line))).toEqual([]);
}

describeOnOwnPostgres('a PostgreSQL that crashes and starts again', (server) => {
  test('costs 503s, no vote and no delivery', { timeout: 120_000 }, () =>
    voteDuringOutage(server().newDatabase(), async (whileAway) => {
      server().shutDown('immediate');
      await whileAway();
      server().start();
    }),
  );
});

const programs = postgresPrograms();
describe.skipIf(isSkipped(programs !== null))('a PostgreSQL whose standby is promoted', () => {
  test('costs 503s, no vote and no delivery', { timeout: 120_000 }, async () => {
    if (programs === null) throw new Error('Install PostgreSQL (Debian: apt-get install postgresql).');
    const directory = mkdtempSync(join(tmpdir(), 'tallyhook-service-failover-'));
    chmodSync(directory, 0o711);
    const cleanup = startCleanup(directory);
    onTestFinished(() => cleanup.stop());
    const pair = await startPair(programs, directory, { isSynchronous: true, replicationPort: async (port) => port });
    const proxy = await startNodeProxy({ primary: pair.primary.port, standby: pair.standby.port });
    onTestFinished(() => proxy.stop());
    await voteDuringOutage(`postgres://tally@127.0.0.1:${proxy.port}/tally`, async (whileAway) => {
      pair.killPrimary();
      await whileAway();
      await pair.promoteStandby();
      proxy.moveToStandby();
    });
  });
});
