import { createServer, type RequestListener } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runClosedLoop } from '../../bench/load/closed-loop.ts';
import { runOpenLoop } from '../../bench/load/open-loop.ts';
import { createRequestSource } from '../../bench/load/request-set.ts';
import { responseLength } from '../../bench/load/response.ts';
import { secret } from '../../bench/load/vote.ts';
import { listen } from '../../bench/process/listen.ts';
import { isSignedWith } from '../../src/webhook/signature.ts';

const createRequests = (count: number) =>
  createRequestSource().deal({ dialect: 'tallyhook', path: '/votes', from: 7, count });

/** A server that keeps the bodies that were signed, and answers as it is told. */
async function startServer(answer: RequestListener) {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      if (isSignedWith(secret, body, String(request.headers['x-webhook-signature']))) bodies.push(body);
      answer(request, response);
    });
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: await listen(server), bodies };
}

describe('the sender of the benchmarks', () => {
  it('sends each vote once, signed and unlike every other', async () => {
    const { port, bodies } = await startServer((_request, response) => response.end('{}'));
    const { accepted, latencies } = await runClosedLoop(port, createRequests(300), 8);
    expect(accepted).toBe(300);
    expect(new Set(bodies).size).toBe(300);
    expect(latencies.every((latency) => latency > 0)).toBe(true);
  });

  it('counts only what was accepted', async () => {
    let count = 0;
    const { port } = await startServer((_request, response) => {
      count += 1;
      response.writeHead(count % 3 === 0 ? 503 : 200, { 'content-type': 'text/plain' }).end('x'.repeat(count));
    });
    expect((await runClosedLoop(port, createRequests(90), 4)).accepted).toBe(60);
  });

  it('fails when the server hangs up', async () => {
    const { port } = await startServer((request) => request.socket.destroy());
    await expect(runClosedLoop(port, createRequests(10), 2)).rejects.toThrow('A connection broke');
    await expect(runOpenLoop(port, createRequests(10), 2, 1_000)).rejects.toThrow('A connection broke');
  });

  it('counts the wait for a stalled server from the moment when a vote was due', async () => {
    const pendingResponses: (() => void)[] = [];
    const { port } = await startServer((_request, response) => {
      pendingResponses.push(() => response.end('{}'));
      // All are due long before the first is answered.
      if (pendingResponses.length === 1) setTimeout(() => pendingResponses[0]?.(), 60);
      else pendingResponses.at(-1)?.();
    });
    const { latencies } = await runOpenLoop(port, createRequests(10), 1, 100_000);
    expect(Math.min(...latencies)).toBeGreaterThan(50);
  });
});

describe('the length of a response', () => {
  const head = 'HTTP/1.1 200 OK\r\nDate: now\r\n';

  it('is told by its content-length, once the head is whole', () => {
    expect(responseLength(`${head}Content-Le`)).toBe(null);
    expect(responseLength(`${head}Content-Length: 2\r\n\r\n`)).toBe(`${head}Content-Length: 2\r\n\r\n{}`.length);
  });

  it('ends with the last chunk', () => {
    const whole = `${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`;
    expect(responseLength(whole.slice(0, -1))).toBe(null);
    expect(responseLength(whole)).toBe(whole.length);
  });

  it('is the head alone where there is no body', () => {
    const none = 'HTTP/1.1 204 No Content\r\n\r\n';
    expect(responseLength(none)).toBe(none.length);
  });
});
