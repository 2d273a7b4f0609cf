import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Deliveries } from '../../src/sandbox/deliveries.ts';
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

  it('is reported with the reason if it is rejected, and not stored', async () => {
    const { deliveries, told, post } = await watched((_request, response) => {
      response.writeHead(413).end('{"success":false,"error":"Too large."}');
    });
    await post('/webhooks/vote', '{}');
    expect(told.at(-1)).toMatchObject({ isSettled: true, steps: [{}, { text: 'Rejected (413): Too large.' }] });
    expect(deliveries.last).toBe(null);
  });

  it('is reported with the event type that it names, unverified', async () => {
    const { told, post } = await watched((request, response) => {
      request.resume().on('end', () => response.writeHead(401).end('{}'));
    });
    await post('/webhooks/vote', '{"event":"server_vote","userId":"7"}');
    expect(told.at(-1)).toMatchObject({ title: 'Server vote by 7', event: 'server_vote' });
  });

  it('is not created by other requests', async () => {
    const { told, post } = await watched(reading);
    await post('/healthz', '');
    expect(told).toEqual([]);
  });
});
