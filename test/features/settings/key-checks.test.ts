import { systemClock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import { createLog } from '@tallyhook/platform/log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { expect, it, onTestFinished } from 'vitest';
import { createDashboards, createKeyCheck } from '../../../src/features/settings/services.ts';
import { openStore } from '../../../src/features/store.ts';
import { failure, startFakeService, success } from '../../support/fake-service.ts';
import { newSqliteUrl } from '../../support/new-sqlite.ts';

const [guildId, otherGuildId] = ['700000000000000001', '700000000000000002'];

it('checks ten keys a minute for a guild, over all processes, and sends no request for more', async () => {
  const service = await startFakeService();
  onTestFinished(() => service.close());
  service.respondWith(failure(401, 'Invalid key'));
  const databaseUrl = newSqliteUrl();
  const clock = manualClock();
  const startedAt = clock.now();
  const log = createLog({ level: 'silent', secrets: [] });
  async function startProcess() {
    const store = await openStore(databaseUrl, clock, { thread: false });
    onTestFinished(() => store.close());
    return createKeyCheck({ baseUrl: service.baseUrl, budget: store.budgetStore, clock, log });
  }
  const [one, other] = [await startProcess(), await startProcess()];
  for (let guess = 0; guess < 10; guess += 1) {
    const checkKey = guess % 2 === 0 ? one : other;
    expect(await checkKey(guildId, 'server', `guess-${guess}`)).toEqual({ status: 'refused' });
    await clock.advance(second);
  }
  const tooMany = { status: 'tooMany', retryAt: startedAt + minute };
  for (const checkKey of [one, other]) expect(await checkKey(guildId, 'bot', 'guess')).toEqual(tooMany);
  expect(service.requests).toHaveLength(10);
  expect(await one(otherGuildId, 'server', 'guess')).toEqual({ status: 'refused' });
  await clock.advance(startedAt + minute - clock.now());
  expect(await other(guildId, 'server', 'guess')).toEqual({ status: 'refused' });
  expect(await other(guildId, 'server', 'guess')).toMatchObject({ status: 'tooMany' });
});

it('finds out by the key whether it is of a server or a bot', async () => {
  const service = await startFakeService();
  onTestFinished(() => service.close());
  service.respondWith((response, request) => {
    const isBot = request.headers['x-api-key'] === 'key-of-bot';
    const isAskedAsBot = request.url?.includes('/bot') === true;
    const profile = { name: 'Harbour', votes: 1, tags: [], url: 'https://lists.example/harbour' };
    (isBot === isAskedAsBot ? success(profile) : failure(400, 'Only for keys of the other kind'))(response, request);
  });
  const clock = manualClock();
  const store = await openStore(newSqliteUrl(), clock, { thread: false });
  onTestFinished(() => store.close());
  const log = createLog({ level: 'silent', secrets: [] });
  const checkKey = createKeyCheck({ baseUrl: service.baseUrl, budget: store.budgetStore, clock, log });
  expect(await checkKey(guildId, null, 'key-of-server')).toMatchObject({ status: 'valid', kind: 'server' });
  expect(service.requests).toHaveLength(1);
  expect(await checkKey(guildId, null, 'key-of-bot')).toMatchObject({ status: 'valid', kind: 'bot', targetId: null });
  expect(await checkKey(guildId, 'server', 'key-of-bot')).toEqual({ status: 'wrongKind' });
});

it('names the dashboard of the service where it has one, otherwise its home page', async () => {
  const service = await startFakeService();
  service.respondWith((response, request) => response.writeHead(request.url === '/dashboard/1' ? 303 : 404).end());
  const dashboardOf = createDashboards(service.baseUrl, systemClock);
  expect(await dashboardOf('1')).toBe(`${service.origin}/dashboard/1#advanced`);
  expect(await dashboardOf('2')).toBe(`${service.origin}/dashboard/2#advanced`);
  expect(service.requests.map(({ url }) => url)).toEqual(['/dashboard/1']);
  const foreign = createDashboards(service.baseUrl, systemClock);
  expect(await foreign('2')).toBe(`${service.origin}/`);
  await service.close();
  expect(await createDashboards(service.baseUrl, systemClock)('1')).toBe(`${service.origin}/`);
  expect(await createDashboards('', systemClock)('1')).toBe(null);
  // Discord rejects links to such names.
  expect(await createDashboards('http://service:3000/api/v1', systemClock)('1')).toBe(null);
});
