import { startCollector } from '@tallyhook/platform/testing/collector';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, it, vi } from 'vitest';
import { sign } from '../../src/webhook/signature.ts';
import { voteSecret } from '../support/listings.ts';
import { localDiscord } from '../support/local-discord.ts';
import { settings } from '../support/settings.ts';
import { startListingService } from '../support/start-installation.ts';
import { startProgram } from '../support/start-program.ts';

const waitOptions = { timeout: 15_000, interval: 25 };
const senderTraceId = 'a'.repeat(32);

it('the message in Discord links to the trace of its delivery in another process', async () => {
  const discord = await localDiscord();
  const collector = await startCollector();
  const directory = tempDir();
  const { service, keys } = await startListingService();
  const environment = {
    ...{ ...settings(discord), LOOKUP_BASE_URL: service.baseUrl, LOOKUP_SERVER_KEY: keys.server },
    DATABASE_URL: `sqlite:${directory}/tallyhook.db`,
    CACHE_URL: 'memory:',
    LOG_LEVEL: 'debug',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20token-of-the-collector',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  };
  const start = (name: string, roles: string) =>
    startProgram(['start'], { ...environment, TALLYHOOK_ROLES: roles, OTEL_SERVICE_NAME: name }, directory);
  const receiver = start('receiver', 'receive');
  const url = await receiver.url();
  const bot = start('bot', 'announce,answer');

  const voter = '123456789012345678';
  const body = JSON.stringify({ event: 'server_vote', userId: voter, timestamp: new Date().toISOString() });
  const response = await fetch(`${url}/webhooks/vote`, {
    method: 'POST',
    headers: { 'x-webhook-signature': sign(body, voteSecret), traceparent: `00-${senderTraceId}-${'b'.repeat(16)}-01` },
    body,
  });
  expect(response.status).toBe(200);
  await vi.waitFor(() => expect(discord.messages(discord.channels.announcements)).toHaveLength(1), waitOptions);
  for (const program of [receiver, bot]) program.process.kill('SIGTERM');
  expect(await Promise.all([receiver.ended, bot.ended])).toEqual([0, 0]);

  const root = collector.spans.find(({ name }) => name === 'POST /webhooks/vote');
  expect(root).toMatchObject({
    ...{ service: 'receiver', kind: 2, parentSpanId: '', links: [senderTraceId], failed: false },
    attributes: { 'http.response.status_code': 200, 'http.route': '/webhooks/vote', 'tallyhook.outcome': 'recorded' },
  });
  const attempt = collector.spans.find(({ name }) => name === 'process announcement');
  expect(attempt).toMatchObject({
    ...{ service: 'bot', kind: 5, parentSpanId: '', links: [root?.traceId], failed: false },
    attributes: { 'tallyhook.delivery.id': 1, 'tallyhook.attempt': 1, 'tallyhook.outcome': 'done' },
  });

  // The log of the delivery names the trace, and neither contains a secret.
  const recorded =
    receiver
      .output()
      .split('\n')
      .find((line) => line.includes('delivery recorded')) ?? '{}';
  expect(JSON.parse(recorded)).toMatchObject({ trace_id: root?.traceId, delivery: 1 });
  expect(collector.headers[0]?.authorization).toBe('Bearer token-of-the-collector');
  const everything = `${receiver.output()}${bot.output()}${collector.text()}`;
  for (const secret of ['token-of-the-collector', voteSecret, discord.token, keys.server])
    expect(everything).not.toContain(secret);
  expect(collector.text()).not.toContain(voter);
});
