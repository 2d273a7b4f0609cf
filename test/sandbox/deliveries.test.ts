import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { rawConnection } from '@tallyhook/platform/testing/raw-http';
import { running } from 'listing-service/testing/running';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Deliveries } from '../../src/sandbox/deliveries.ts';
import { startRelay } from '../../src/sandbox/listing-service.ts';
import type { TimelineItem } from '../../src/sandbox/page/ports.ts';

/** A receiver with this response and an observer. */
async function watched(listener: RequestListener) {
  const told: TimelineItem[] = [];
  const deliveries = new Deliveries({
    clock: manualClock(),
    stopwatch: manualClock(),
    memberName: (id) => id,
    channelName: (id) => id,
    emit: (item) => told.push(item),
  });
  const server = createServer(deliveries.wrapListener(listener)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const post = async (path: string, body: string, headers: Record<string, string> = {}) =>
    (await fetch(origin + path, { method: 'POST', body, headers })).status;
  return { deliveries, told, post };
}

const reading: RequestListener = (request, response) => {
  request.on('data', () => {});
  request.on('end', () => response.end('{"received":true}'));
};

describe('an observed delivery', () => {
  it('is stored byte for byte with its signature, so that it can be sent again', async () => {
    const { deliveries, post } = await watched(reading);
    const body = '{ "event":"server_vote",\n"userId" : "7" } ';
    await post('/webhooks/vote', body, { 'x-webhook-signature': 'abc', authorization: 'not kept' });
    expect(deliveries.last?.body.toString()).toBe(body);
    expect(deliveries.last).toMatchObject({ path: '/webhooks/vote', headers: { 'x-webhook-signature': 'abc' } });
    expect(deliveries.last?.headers).not.toHaveProperty('authorization');
  });

  it('is not the one that is sent again if it was a test or was quarantined', async () => {
    const outcomes = ['recorded', 'test', 'quarantined'] as const;
    let count = 0;
    const answer = async (...[request, response]: Parameters<RequestListener>) => {
      await once(request.resume(), 'end');
      const outcome = outcomes[count] ?? 'recorded';
      count += 1;
      deliveries.onRecorded({ outcome, deliveryId: count, credits: 0, reason: null, isAnnounced: false, causes: [] });
      response.end('{"received":true}');
    };
    const { deliveries, post } = await watched((request, response) => void answer(request, response));
    for (const outcome of outcomes) await post('/webhooks/vote', outcome);
    expect(deliveries.last?.body.toString()).toBe('recorded');
  });

  it('is received completely even if the receiver starts reading late', async () => {
    let read = '';
    const { post } = await watched((request, response) => {
      setTimeout(() => {
        request.on('data', (chunk) => {
          read += String(chunk);
        });
        request.on('end', () => response.end());
      }, 30);
    });
    expect(await post('/webhooks', 'x'.repeat(50_000))).toBe(200);
    expect(read).toHaveLength(50_000);
  });

  it('is not created by other requests', async () => {
    const { told, post } = await watched(reading);
    await post('/healthz', '');
    expect(told).toEqual([]);
  });
});

it('resets open and new connections while it is down', async () => {
  const { service } = await running();
  const relay = await startRelay('127.0.0.1', 0);
  onTestFinished(() => relay.stop());
  relay.setTarget(service.port);
  const open = rawConnection(relay.url);
  open.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  await open.waitForResponse(/^HTTP\/1\.1 200 OK/);
  relay.setDown(true);
  await open.closed;
  expect(await rawConnection(relay.url).closed).toBe('');
  relay.setDown(false);
  const { write, waitForResponse } = rawConnection(relay.url);
  write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  await waitForResponse(/^HTTP\/1\.1 200 OK/);
});

it('forwards the response to a client that half-closes its connection after the request', async () => {
  const { service } = await running();
  const relay = await startRelay('127.0.0.1', 0);
  onTestFinished(() => relay.stop());
  relay.setTarget(service.port);
  const { write, end, closed } = rawConnection(relay.url);
  write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  end();
  expect((await closed).slice(0, 15)).toBe('HTTP/1.1 200 OK');
});
