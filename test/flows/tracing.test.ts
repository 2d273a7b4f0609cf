import { expect, it, vi } from 'vitest';
import { sign } from '../../src/webhook/signature.ts';
import { startCollector } from '../support/collector.ts';
import { voteSecret } from '../support/listings.ts';
import { localDiscord } from '../support/local-discord.ts';
import { startProgram } from '../support/start-program.ts';
import { tempDir } from '../support/temp-dir.ts';

const waitOptions = { timeout: 15_000, interval: 25 };
const senderTraceId = 'a'.repeat(32);

it('is one trace from the delivery to the message in Discord, through two processes', async () => {
  const discord = await localDiscord();
  const collector = await startCollector();
  const directory = tempDir();
  const environment = {
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    LOOKUP_BASE_URL: 'http://127.0.0.1:9/api/v1',
    LOOKUP_SERVER_KEY: 'key-of-the-server',
    VOTE_WEBHOOK_SECRET: voteSecret,
    ANNOUNCE_CHANNEL_ID: discord.channels.announcements,
    DATABASE_URL: `sqlite:${directory}/tallyhook.db`,
    CACHE_URL: 'memory:',
    PORT: '0',
    LOG_LEVEL: 'debug',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20token-of-the-collector',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  };
  const start = (role: string) =>
    startProgram(['start'], { ...environment, TALLYHOOK_ROLES: role, OTEL_SERVICE_NAME: role }, directory);
  const receiver = start('receive');
  const url = await receiver.url();
  const announcer = start('announce');

  const userId = '123456789012345678';
  const body = JSON.stringify({ event: 'server_vote', userId, timestamp: new Date().toISOString() });
  const response = await fetch(`${url}/webhooks/vote`, {
    method: 'POST',
    headers: {
      'x-webhook-signature': sign(body, voteSecret),
      traceparent: `00-${senderTraceId}-${'b'.repeat(16)}-01`,
    },
    body,
  });
  expect(response.status).toBe(200);
  await vi.waitFor(() => expect(discord.messages(discord.channels.announcements)).toHaveLength(1), waitOptions);
  for (const program of [receiver, announcer]) program.process.kill('SIGTERM');
  expect(await Promise.all([receiver.ended, announcer.ended])).toEqual([0, 0]);

  const root = collector.spans.find(({ name }) => name === 'POST /webhooks/vote');
  expect(root).toMatchObject({
    ...{ service: 'receive', kind: 2, parentSpanId: '', links: [senderTraceId], failed: false },
    attributes: { 'http.response.status_code': 200, 'http.route': '/webhooks/vote', 'tallyhook.outcome': 'recorded' },
  });
  const trace = collector.spans.filter(({ traceId }) => traceId === root?.traceId);
  const parentOf = ({ parentSpanId }: { parentSpanId: string }) =>
    trace.find(({ spanId }) => spanId === parentSpanId)?.name ?? null;
  const post = `POST /api/v10/channels/{id}/messages`;
  expect(trace.map((span) => [span.service, span.name, parentOf(span)])).toEqual(
    expect.arrayContaining([
      ['receive', 'POST /webhooks/vote', null],
      ['receive', 'verify signature', 'POST /webhooks/vote'],
      ['receive', 'COMMIT deliveries', 'POST /webhooks/vote'],
      ['announce', 'process announcement', 'COMMIT deliveries'],
      ['announce', post, 'process announcement'],
    ]),
  );
  expect(trace.find(({ name }) => name === post)?.attributes).toMatchObject({ 'http.response.status_code': 200 });

  // The log of the delivery names the trace, and neither contains a secret.
  const recorded =
    receiver
      .output()
      .split('\n')
      .find((line) => line.includes('delivery recorded')) ?? '{}';
  expect(JSON.parse(recorded)).toMatchObject({ trace_id: root?.traceId, delivery: 1 });
  expect(collector.headers[0]?.authorization).toBe('Bearer token-of-the-collector');
  const everything = `${receiver.output()}${announcer.output()}${collector.text()}`;
  for (const secret of ['token-of-the-collector', voteSecret, discord.token, 'key-of-the-server'])
    expect(everything).not.toContain(secret);
  expect(collector.text()).not.toContain(userId);
});
