import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sign } from 'tallyhook/receiver';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';

type Send = (path: string, init: RequestInit) => Promise<Response>;

const directory = mkdtempSync(join(tmpdir(), 'tallyhook-example-'));
const printed = vi.spyOn(console, 'log');
let receiver: typeof import('./receiver.ts')['receiver'];

beforeAll(async () => {
  vi.stubEnv('VOTE_SECRET', 'secret');
  vi.stubEnv('DATABASE', join(directory, 'votes.db'));
  printed.mockImplementation(() => {});
  ({ receiver } = await import('./receiver.ts'));
});

afterAll(async () => {
  printed.mockRestore();
  await receiver.stop();
  rmSync(directory, { recursive: true, force: true });
});

const inProcess = (fetch: (request: Request) => Response | Promise<Response>): Send => {
  return async (path, init) => fetch(new Request(`https://example.com${path}`, init));
};

const over =
  (url: string): Send =>
  (path, init) =>
    fetch(`${url}${path}`, init);

const frameworks: Readonly<Record<string, () => Promise<Send>>> = {
  async Express() {
    const { app } = await import('./express.ts');
    const server = createServer(app).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => void server.close());
    return over(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  },
  async Fastify() {
    const { app } = await import('./fastify.ts');
    onTestFinished(() => app.close());
    return over(await app.listen({ port: 0, host: '127.0.0.1' }));
  },
  async Hono() {
    const { app } = await import('./hono.ts');
    return inProcess((request) => app.fetch(request));
  },
  async 'Next.js'() {
    const { POST } = await import('./next-route.ts');
    return inProcess((request) => (request.method === 'POST' ? POST(request) : new Response('My page')));
  },
  async 'Bun and Deno'() {
    const { default: server } = await import('./bun-or-deno.ts');
    return inProcess(server.fetch);
  },
};

describe.each(Object.entries(frameworks))('with %s', (name, start) => {
  it('a vote counts once, a wrong signature is rejected, and other pages work', async () => {
    const send = await start();
    const userId = String(1_000 + Object.keys(frameworks).indexOf(name));
    const body = JSON.stringify({ event: 'server_vote', userId, timestamp: new Date().toISOString() });
    const deliver = async (secret: string) => {
      const headers = { 'content-type': 'application/json', 'x-webhook-signature': sign(body, secret) };
      const response = await send('/webhooks/vote', { method: 'POST', headers, body });
      return [response.status, await response.json()];
    };
    expect(await deliver('secret')).toEqual([200, { received: true, outcome: 'recorded' }]);
    expect(await deliver('secret')).toEqual([200, { received: true, outcome: 'duplicate' }]);
    expect(await deliver('another')).toMatchObject([401, { success: false }]);
    expect(await receiver.ledger.account(userId)).toMatchObject({ credits: 10, votes: 1 });
    await expect.poll(() => printed.mock.calls.flat()).toContain(`${userId} voted: +10, balance 10`);
    expect(await (await send('/', {})).text()).toBe('My page');
  });
});
