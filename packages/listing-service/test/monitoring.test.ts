import { readFileSync } from 'node:fs';
import { minute } from '@tallyhook/platform/durations';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { describe, expect, it } from 'vitest';
import { endpointGroupOf, RequestStatistics } from '../src/monitoring/monitoring.ts';
import { formatHistogram } from '../src/monitoring/service-metrics.ts';
import { openDatabase } from '../src/storage/database.ts';
import { queriesOf, readQueueState } from '../src/storage/deliveries/delivery-queue.ts';
import { ask, botId, mira, receiver, running, serverId } from '../testing/running.ts';
import { lockInOtherProcess } from './another-process.ts';

const secret = 'a secret of 16 bytes';

async function operated() {
  const started = await running({ operationsPort: 0 });
  const { operationsUrl } = started.service;
  return { ...started, operationsUrl: operationsUrl ?? '' };
}

/** The values of a scrape by name and labels. */
async function scrape(operationsUrl: string): Promise<Map<string, number>> {
  const { text } = await ask(`${operationsUrl}/metrics`);
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

describe('the metrics of the service', () => {
  it('count responses, votes, reviews and webhook requests', async () => {
    const { service, keys, get, operationsUrl } = await operated();
    const { url } = await receiver((_delivery, count) => (count === 1 ? 500 : 200));
    await service.setWebhook(serverId, { voteUrl: url, voteSecret: secret });
    const vote = { listingId: serverId, ...mira };
    await service.castVote(vote);
    await service.castVote(vote);
    await service.addReview({ ...vote, rating: 5, comment: 'Kind people.' });
    await get('/server', { 'X-API-Key': keys.server });
    await get('/server');
    await get('/nothing', { 'X-API-Key': keys.server });
    await ask(service.url);
    await eventually(async () => {
      const values = await scrape(operationsUrl);
      expect(Object.fromEntries(values)).toMatchObject({
        'tallyhook_service_requests_total{endpoint="server",status="200"}': 1,
        'tallyhook_service_requests_total{endpoint="server",status="401"}': 1,
        'tallyhook_service_requests_total{endpoint="server",status="503"}': 0,
        'tallyhook_service_requests_total{endpoint="unknown",status="404"}': 1,
        'tallyhook_service_requests_total{endpoint="page",status="200"}': 1,
        'tallyhook_service_request_seconds_count{endpoint="server"}': 2,
        'tallyhook_service_request_seconds_bucket{le="+Inf",endpoint="server"}': 2,
        'tallyhook_service_votes_total{result="stored"}': 1,
        'tallyhook_service_votes_total{result="cooldown"}': 1,
        tallyhook_service_reviews_total: 1,
        'tallyhook_service_webhook_requests_total{result="rejected"}': 1,
        tallyhook_service_webhooks_waiting: 1,
        tallyhook_service_webhooks_paused: 0,
      });
    });
  });

  it('are exactly those that docs/service.md describes', async () => {
    const { operationsUrl } = await operated();
    const { text } = await ask(`${operationsUrl}/metrics`);
    const offered = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
    const page = readFileSync(new URL('../../../docs/service.md', import.meta.url), 'utf8');
    const named = new Set([...page.matchAll(/tallyhook_service_[a-z_]+[a-z]/g)].map(([name]) => name));
    const ofProcess = /^tallyhook_service_(process|nodejs)/;
    expect([...named].filter((name) => !ofProcess.test(name)).toSorted()).toEqual(
      offered.filter((name) => !ofProcess.test(name)).toSorted(),
    );
  });

  it('are not on the public port', async () => {
    const { service } = await operated();
    expect((await ask(`${service.url}/metrics`)).status).toBe(404);
  });
});

describe('the readiness of the service', () => {
  it('has reasons on the port for operations only, while the database cannot be written', async () => {
    const ready = { ready: true };
    const { service, database, operationsUrl } = await operated();
    expect((await ask(`${service.url}/healthz`)).json).toEqual({ alive: true });
    expect((await ask(`${service.url}/readyz`)).json).toEqual({
      ready: true,
      parts: { database: ready, webhooks: ready, maintenance: ready, limit: ready },
    });
    const unlock = await lockInOtherProcess(database);
    await eventually(async () => {
      // At once, because the check waits for the lock for three seconds.
      const urls = [`${operationsUrl}/readyz`, `${service.url}/readyz`, `${service.url}/healthz`] as const;
      const [operations, visible, health] = await Promise.all(urls.map((url) => ask(url)));
      expect([operations?.status, visible?.status, health?.status]).toEqual([503, 503, 200]);
      const database = { reason: expect.stringContaining('commit') };
      expect(operations?.json).toMatchObject({ ready: false, parts: { database } });
      expect(visible?.text).not.toContain('reason');
    });
    await unlock();
    await eventually(async () => expect((await ask(`${service.url}/readyz`)).status).toBe(200));
  });

  it('ends when the service stops, while requests are still answered', async () => {
    const { service, clock, keys, get } = await running({ drainMs: 1 * minute });
    const stopped = service.stop();
    expect((await ask(`${service.url}/readyz`)).json).toMatchObject({ ready: false, reason: expect.any(String) });
    expect((await get('/server', { 'X-API-Key': keys.server })).status).toBe(200);
    await clock.advance(1 * minute);
    await stopped;
    await expect(ask(`${service.url}/readyz`)).rejects.toThrow();
  });
});

it('the delay of the queue leaves out what waits for a retry or a paused webhook, however much that is', async () => {
  const { service, database: address } = await running();
  await service.stop();
  const database = await openDatabase(address);
  const webhook = { url: 'https://bot.example', secret, failures: 0 };
  const delivery = { event: 'server_vote', test: 0, body: '{}', created_at: 0, attempts: 0, state: 'waiting' } as const;
  await database
    .insertInto('webhooks')
    .values([
      { listing_id: serverId, family: 'vote', ...webhook, paused_at: 1 },
      { listing_id: botId, family: 'vote', ...webhook },
    ])
    .execute();
  const add = (listing_id: string, due: readonly number[]) =>
    database
      .insertInto('deliveries')
      .values(
        due.map((next_attempt_at) => ({
          ...{
            ...delivery,
            id: `${listing_id}${next_attempt_at}`,
            listing_id,
            family: 'vote' as const,
            next_attempt_at,
          },
        })),
      )
      .execute();
  await add(botId, [5_000]);
  expect(await readQueueState(queriesOf(database), 4_999)).toEqual({ waiting: 1, paused: 1, dueSince: null });
  await add(serverId, [1]);
  expect(await readQueueState(queriesOf(database), 5_000)).toEqual({ waiting: 2, paused: 1, dueSince: 5_000 });
  await add(
    serverId,
    Array.from({ length: 1_500 }, (_, at) => at + 2),
  );
  expect(await readQueueState(queriesOf(database), 6_000)).toEqual({ waiting: 1_502, paused: 1, dueSince: 5_000 });
  await database.destroy();
});

it('a request target belongs to one group', () => {
  const group = (target: string) => endpointGroupOf(target, '/api/v1');
  expect(['/api/v1/server', '/api/v1/votes/1?a=b', '/api/v1/bot?x', '/api/v1/reviews/'].map(group)).toEqual([
    'server',
    'votes',
    'bot',
    'reviews',
  ]);
  expect(['/api/v1', '/api/v1/constructor', '/api/v1/servers', '/openapi.json', '/', ''].map(group)).toEqual([
    ...['unknown', 'unknown', 'unknown', 'openapi', 'page', 'page'],
  ]);
});

it('durations are counted up to each bound', () => {
  const statistics = new RequestStatistics();
  for (const durationMs of [0.5, 0.6, 6_000]) statistics.count('bot', 200, durationMs);
  const text = formatHistogram('h_seconds', 'Help.', statistics.durations());
  expect(text).toContain('h_seconds_bucket{le="0.0005",endpoint="bot"} 1\n');
  expect(text).toContain('h_seconds_bucket{le="0.001",endpoint="bot"} 2\n');
  expect(text).toContain('h_seconds_bucket{le="5",endpoint="bot"} 2\n');
  expect(text).toContain('h_seconds_bucket{le="+Inf",endpoint="bot"} 3\n');
  expect(text).toContain('h_seconds_count{endpoint="bot"} 3\n');
  expect(text).toContain('h_seconds_sum{endpoint="server"} 0\n');
});
