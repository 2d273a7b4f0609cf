import { join } from 'node:path';
import { hour, minute } from '@tallyhook/platform/durations';
import { createLog } from '@tallyhook/platform/log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { createApp } from '../../../src/app/app.ts';
import { createReceiver } from '../../../src/app/receiver-app.ts';
import { createMetrics } from '../../../src/core/metrics.ts';
import { prepareCommunities } from '../../../src/features/communities/community-ids.ts';
import { LookupClients } from '../../../src/features/communities/lookup-clients.ts';
import { openStore } from '../../../src/features/store.ts';
import { openKeyv } from '../../../src/lookup/open-keyv.ts';
import { sign } from '../../../src/webhook/signature.ts';
import { startFakeService, success } from '../../support/fake-service.ts';
import { premiumSecret, voteSecret } from '../../support/listings.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { settings, unreachableDiscord } from '../../support/settings.ts';

const own = '700000000000000001';
const another = '700000000000000002';

function collectedLog() {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const warnings = () => lines.filter(({ msg }) => String(msg).includes('names another server or bot'));
  return { warnings, log: createLog({ level: 'warn', secrets: [], destination }) };
}

let members = 0;
/** A vote of a new member, or a purchase; returns its outcome. */
async function deliver(url: string | null, now: number, fields: object, secret = voteSecret): Promise<unknown> {
  members += 1;
  const common = { userId: String(members), timestamp: new Date(now).toISOString() };
  const body = JSON.stringify({ event: 'server_vote', ...common, ...fields });
  const headers = { 'x-webhook-signature': sign(body, secret) };
  const response = await fetch(`${url}/webhooks`, { method: 'POST', headers, body });
  return ((await response.json()) as { outcome?: string }).outcome;
}

/** A receiver with one server and one bot, whose ids are configured. */
async function startReceiver() {
  const clock = manualClock();
  const { warnings, log } = collectedLog();
  const voteSecrets = [voteSecret];
  const { start, stop, ledger } = await createReceiver({
    listings: [
      { name: 'harbour', kind: 'server', id: own, voteSecrets, premiumSecrets: [premiumSecret] },
      { name: 'lantern', kind: 'bot', id: '31', voteSecrets },
    ],
    ...{ database: join(tempDir(), 'votes.db'), port: 0, clock, log },
  });
  onTestFinished(() => stop());
  const url = await start();
  return {
    clock,
    warnings,
    ledger,
    send: (fields: object, secret?: string) => deliver(url, clock.now(), fields, secret),
  };
}

describe('a delivery that names another target than its listing', () => {
  it.each([
    ['harbour', own, { serverId: another }],
    ['harbour', own, { server: { id: another } }],
    ['lantern', '31', { event: 'bot_vote', botId: another }],
    ['lantern', '31', { event: 'bot_vote', bot: { id: another } }],
  ])('counts for %s (%s), and a warning names both ids: %j', async (listing, listingId, fields) => {
    const { send, warnings } = await startReceiver();
    expect(await send(fields)).toBe('recorded');
    const hint = expect.stringMatching(/copy the address and secret of the right listing.* correct its id/);
    expect(warnings()).toMatchObject([{ listing, listingId, named: another, hint }]);
  });

  it('is warned of once an hour and listing', async () => {
    const { send, warnings, clock } = await startReceiver();
    for (let sent = 0; sent < 5; sent += 1) await send({ serverId: another });
    expect(warnings()).toHaveLength(1);
    await send({ event: 'bot_vote', botId: another });
    expect(warnings()).toHaveLength(2);
    await clock.advance(hour - minute);
    await send({ serverId: another });
    expect(warnings()).toHaveLength(2);
    await clock.advance(minute);
    await send({ serverId: another });
    expect(warnings().map((line) => [line['listing'], line['suppressed']])).toEqual([
      ['harbour', undefined],
      ['lantern', undefined],
      ['harbour', 5],
    ]);
  });

  it('is warned of if it is a purchase, but not of a vendor that is neither a server nor a bot', async () => {
    const { send, warnings } = await startReceiver();
    const purchase = (orderId: string, vendor: object) =>
      send({ event: 'premium_purchase', orderId, vendor }, premiumSecret);
    expect(await purchase('a', { type: 'server', id: own })).toBe('recorded');
    expect(await purchase('b', { type: 'user', id: another })).toBe('recorded');
    expect(warnings()).toEqual([]);
    expect(await purchase('c', { type: 'server', id: another })).toBe('recorded');
    expect(warnings()).toMatchObject([{ listing: 'harbour', named: another }]);
  });
});

it('there is no warning of its own id, of none, and of a test', async () => {
  const { send, warnings } = await startReceiver();
  expect(await send({ serverId: own })).toBe('recorded');
  expect(await send({})).toBe('recorded');
  expect(await send({ serverId: '1', test: true })).toBe('test');
  expect(warnings()).toEqual([]);
});

it('the id of a listing without one is what the service said for its API key, without a request', async () => {
  const clock = manualClock();
  const { warnings, log } = collectedLog();
  const service = await startFakeService();
  onTestFinished(() => service.close());
  const url = 'https://lists.example/harbour';
  service.respondWith(success({ id: own, name: 'Harbour', votes: 1, tags: [], url }));
  const folder = tempDir();
  const environment = { ...settings(unreachableDiscord), TALLYHOOK_ROLES: 'receive', LOOKUP_BASE_URL: service.baseUrl };
  const urls = {
    DATABASE_URL: newSqliteUrl(join(folder, 'votes.db')),
    CACHE_URL: `sqlite:${join(folder, 'cache.db')}`,
  };
  const config = loadConfig({ ...environment, ...urls });
  expect(config.listings.find(({ name }) => name === 'server')?.id).toBe(null);

  // What a command has read before.
  const cache = await openKeyv(config.cacheUrl, (error) => expect.unreachable(String(error)));
  const store = await openStore(config.databaseUrl, clock, { thread: false });
  const communityIds = await prepareCommunities(store.communityIds, config.listings);
  const metrics = createMetrics();
  await new LookupClients(config, { store, communityIds, cache, metrics, clock, log }).find('server')?.lookup.profile();
  await store.close();
  await cache.disconnect();
  expect(service.requests).toHaveLength(1);

  const app = await createApp(config, { clock, log });
  onTestFinished(() => app.stop());
  const address = await app.start();
  await expect
    .poll(
      async () => {
        expect(await deliver(address, clock.now(), { serverId: another })).toBe('recorded');
        return warnings();
      },
      { timeout: 10_000 },
    )
    .toMatchObject([{ listing: 'server', listingId: own, named: another }]);
  expect(await deliver(address, clock.now(), { serverId: own })).toBe('recorded');
  expect(warnings()).toHaveLength(1);
  expect(service.requests).toHaveLength(1);
});
