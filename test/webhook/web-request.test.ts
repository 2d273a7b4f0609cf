import { TallyhookError } from '@tallyhook/platform/errors';
import { BodyMemory } from '@tallyhook/platform/http/body';
import { readWebBody } from '@tallyhook/platform/http/web-body';
import { describe, expect, it } from 'vitest';
import { sign } from '../../src/webhook/signature.ts';
import { serverAndBot, voteSecret } from '../support/listings.ts';
import { startReceiver } from '../support/start-receiver.ts';

const body = JSON.stringify({ event: 'server_vote', userId: '42', serverId: '1', timestamp: '2025-12-31T23:00:00Z' });
const headers = { 'x-webhook-signature': sign(body, voteSecret) };
const origin = 'https://example.com';

function request(path = '/webhooks/vote', init: RequestInit = {}): Request {
  return new Request(`${origin}${path}`, { method: 'POST', headers, body, ...init });
}

/** A body whose chunks are made when they are asked for, and what became of it. */
function streamed(chunk: () => Uint8Array | 'end' | 'error') {
  const state = { chunks: 0, cancelled: false };
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const next = chunk();
        state.chunks += 1;
        if (next === 'end') controller.close();
        else if (next === 'error') controller.error(new Error('closed'));
        else controller.enqueue(next);
      },
      cancel() {
        state.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { state, init: { body: stream, duplex: 'half' } as RequestInit };
}

describe('receiver.fetch', () => {
  it('finds the address at the end of the path, under any prefix', async () => {
    const [server] = serverAndBot();
    const { receiver } = await startReceiver({
      listings: [server, { ...server, name: 'webhooks', voteSecrets: ['own'] }],
    });
    const statusOf = async (path: string) => (await receiver.fetch(request(path))).status;
    for (const path of [
      ...['/webhooks', '/webhooks/vote', '/webhooks/vote/', '/webhooks/vote?x=1', '/webhooks/server/vote'],
      ...[
        '/api/tally/webhooks/vote',
        '/api/webhooks/tally/webhooks/vote',
        '/webhooks/a/b/webhooks',
        '/a/webhooks/server',
      ],
    ])
      expect(await statusOf(path), path).toBe(200);
    // A listing of this name has secrets of its own.
    expect(await statusOf('/webhooks/webhooks')).toBe(401);
    for (const path of ['/', '/webhook', '/api/webhooksvote', '/webhooks/nothing', '/webhooks/vote/x', '/vote'])
      expect(await statusOf(path), path).toBe(404);
  });

  it('has a function that needs no object, and takes what a framework adds', async () => {
    const { receiver } = await startReceiver();
    const handlers: Record<string, (request: Request, context: object) => Promise<Response>> = { POST: receiver.fetch };
    const response = await handlers['POST']?.(request(), { params: {} });
    expect(await response?.json()).toEqual({ received: true, outcome: 'recorded' });
  });

  it('reads a body in chunks, and stops at one that is too large', async () => {
    const { receiver } = await startReceiver();
    const parts = [Buffer.from(body.slice(0, 10)), Buffer.alloc(0), Buffer.from(body.slice(10))];
    const whole = streamed(() => parts.shift() ?? 'end');
    expect((await receiver.fetch(request('/webhooks', whole.init))).status).toBe(200);

    const endless = streamed(() => Buffer.alloc(10_000));
    expect((await receiver.fetch(request('/webhooks', endless.init))).status).toBe(413);
    expect(endless.state).toMatchObject({ cancelled: true });
    expect(endless.state.chunks).toBeLessThan(9);

    const announced = streamed(() => Buffer.alloc(10_000));
    const length = { ...headers, 'content-length': '65537' };
    expect((await receiver.fetch(request('/webhooks', { ...announced.init, headers: length }))).status).toBe(413);
    expect(announced.state.chunks).toBe(0);
  });

  it('has a response for a body that was read before, or whose connection was closed', async () => {
    const { receiver, lines } = await startReceiver();
    const read = request();
    await read.text();
    const locked = request();
    locked.body?.getReader();
    for (const consumed of [read, locked]) {
      const response = await receiver.fetch(consumed);
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '60']);
      expect(await response.json()).toMatchObject({ error: expect.stringMatching(/already consumed.*clone/) });
    }
    expect(lines.join()).toContain('already consumed');
    const aborted = await receiver.fetch(request('/webhooks', streamed(() => 'error').init));
    expect([aborted.status, aborted.headers.get('retry-after')]).toEqual([503, '5']);
  });

  it('rejects what is no Request with a code and what to pass instead', async () => {
    const { receiver } = await startReceiver();
    const fetchAny = receiver.fetch as (request: unknown) => Promise<Response>;
    for (const [value, hint] of [
      [undefined, /node\(request, response\)/],
      [{ headers, url: '/webhooks/vote' }, /node\(request, response\)/],
      [{ raw: request(), url: origin }, /c\.req\.raw/],
    ] as const) {
      const error = await fetchAny(value).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(TallyhookError);
      expect(error).toMatchObject({ code: 'invalid_options', hint: expect.stringMatching(hint) });
    }
  });

  it('shares the memory for bodies with other routes, and makes room for complete ones', async () => {
    const memory = new BodyMemory(100);
    const never = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(Buffer.alloc(80)) });
    const waiting = readWebBody(request('/', { body: never, duplex: 'half' } as RequestInit), memory);
    await expect.poll(() => memory.used).toBe(80);
    const complete = await readWebBody(request('/', { body: 'x'.repeat(90) }), memory);
    expect(await waiting).toBe('no memory');
    expect(memory.used).toBe(90);
    if (typeof complete !== 'string') complete.release();
    expect(memory.used).toBe(0);
  });
});

describe('receiver.node', () => {
  it('leaves a request alone that is none of its routes', async () => {
    const { receiver } = await startReceiver();
    const untouched = new Proxy({}, { get: () => expect.unreachable() });
    for (const url of ['/', '/webhooks/nothing', '/api/webhooks/vote', '/webhook'])
      expect(await receiver.node({ url } as never, untouched as never)).toBe(false);
  });
});
