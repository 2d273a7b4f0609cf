import { createServer, type RequestListener } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runClosedLoop } from '../../bench/load/closed-loop.ts';
import { runOpenLoop } from '../../bench/load/open-loop.ts';
import { createRequestSource } from '../../bench/load/request-set.ts';
import { responseLength } from '../../bench/load/response.ts';
import { listingId, listingSecret, secret, type VoterOrder, vote, voterCounts } from '../../bench/load/vote.ts';
import { hasWrk, runWrk } from '../../bench/load/wrk.ts';
import { listen } from '../../bench/process/listen.ts';
import { isSignedWith } from '../../src/webhook/signature.ts';
import { isSkipped } from '../support/optional-programs.ts';

const series = { voters: 'sequential', listings: 1 } as const;
const createRequests = (count: number) =>
  createRequestSource().deal({ dialect: 'tallyhook', path: '/votes', series, from: 7, count });

/** Starts a server that records the bodies with a valid signature and responds with `respond`. */
async function startServer(respond: RequestListener) {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      if (isSignedWith(secret, body, String(request.headers['x-webhook-signature']))) bodies.push(body);
      respond(request, response);
    });
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: await listen(server), bodies };
}

describe('the sender of the benchmarks', () => {
  it('sends each vote once, with a valid signature and a unique body', async () => {
    const { port, bodies } = await startServer((_request, response) => response.end('{}'));
    const { accepted, latencies } = await runClosedLoop(port, createRequests(300), 8);
    expect(accepted).toBe(300);
    expect(new Set(bodies).size).toBe(300);
    expect(latencies.every((latency) => latency > 0)).toBe(true);
  });

  it('counts only accepted votes', async () => {
    let count = 0;
    const { port } = await startServer((_request, response) => {
      count += 1;
      response.writeHead(count % 3 === 0 ? 503 : 200, { 'content-type': 'text/plain' }).end('x'.repeat(count));
    });
    expect((await runClosedLoop(port, createRequests(90), 4)).accepted).toBe(60);
  });

  it('fails when the server closes the connection', async () => {
    const { port } = await startServer((request) => request.socket.destroy());
    await expect(runClosedLoop(port, createRequests(10), 2)).rejects.toThrow('A connection broke');
    await expect(runOpenLoop(port, createRequests(10), 2, 1_000)).rejects.toThrow('A connection broke');
  });

  it('measures the latency during a stall from the time when the vote was due', async () => {
    const pendingResponses: (() => void)[] = [];
    const { port } = await startServer((_request, response) => {
      pendingResponses.push(() => response.end('{}'));
      // All votes are due long before the first response.
      if (pendingResponses.length === 1) setTimeout(() => pendingResponses[0]?.(), 60);
      else pendingResponses.at(-1)?.();
    });
    const { latencies } = await runOpenLoop(port, createRequests(10), 1, 100_000);
    expect(Math.min(...latencies)).toBeGreaterThan(50);
  });
});

describe.skipIf(isSkipped(await hasWrk()))('wrk', () => {
  it('sends each vote once and waits for the last response', async () => {
    const { port, bodies } = await startServer((_request, response) => setTimeout(() => response.end('{}'), 20));
    const { accepted, rate, p50, p99 } = await runWrk(port, createRequests(300), 16);
    expect(accepted).toBe(300);
    expect(bodies.length).toBe(300);
    expect(new Set(bodies).size).toBe(300);
    expect(p50).toBeGreaterThanOrEqual(19);
    expect(p99).toBeGreaterThanOrEqual(p50);
    // 16 at a time, 20 ms each.
    expect(rate).toBeLessThan(840);
  });

  it('counts only accepted votes', async () => {
    let count = 0;
    const { port } = await startServer((_request, response) => {
      count += 1;
      response.writeHead(count % 3 === 0 ? 503 : 200).end('{}');
    });
    expect((await runWrk(port, createRequests(90), 4)).accepted).toBe(60);
  });

  it('fails when the server closes the connection', async () => {
    const { port } = await startServer((request) => request.socket.destroy());
    await expect(runWrk(port, createRequests(10), 2)).rejects.toThrow('wrk lost connections');
  });
});

describe('the votes', () => {
  const userOf = ({ body }: { body: string }) => BigInt(JSON.parse(body).userId);

  it('come from members in ascending or in scattered order', () => {
    const isAscending = (voters: VoterOrder) => {
      const users = [0, 1, 2, 3].map((number) => userOf(vote(number, { voters, listings: 1 })));
      return users.every((user, at) => at === 0 || user > (users[at - 1] ?? user));
    };
    expect([isAscending('sequential'), isAscending('scattered')]).toEqual([true, false]);
  });

  it.each(['sequential', 'scattered'] as const)('of a member are further apart than the cooldown (%s)', (voters) => {
    const count = voterCounts[voters];
    const [first, second] = [5, 5 + count].map((number) => vote(number, { voters, listings: 1 }));
    expect(first && userOf(first)).toBe(second && userOf(second));
    const [from, to] = [first, second].map((each) => Date.parse(JSON.parse(each?.body ?? '{}').timestamp));
    expect(Number(to) - Number(from)).toBeGreaterThan(12 * 3_600_000);
  });

  it('for several listings are signed with their secrets', () => {
    for (const number of [0, 1, 7]) {
      const { body, signature } = vote(number, { voters: 'sequential', listings: 5 });
      const listing = number % 5;
      expect(JSON.parse(body).serverId).toBe(listingId(listing));
      expect(isSignedWith(listingSecret(listing), body, signature)).toBe(true);
    }
  });
});

describe('the length of a response', () => {
  const head = 'HTTP/1.1 200 OK\r\nDate: now\r\n';

  it('is given by Content-Length once the head is complete', () => {
    expect(responseLength(`${head}Content-Le`)).toBe(null);
    expect(responseLength(`${head}Content-Length: 2\r\n\r\n`)).toBe(`${head}Content-Length: 2\r\n\r\n{}`.length);
  });

  it('ends with the last chunk', () => {
    const complete = `${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`;
    expect(responseLength(complete.slice(0, -1))).toBe(null);
    expect(responseLength(complete)).toBe(complete.length);
  });

  it('is the length of the head if there is no body', () => {
    const headOnly = 'HTTP/1.1 204 No Content\r\n\r\n';
    expect(responseLength(headOnly)).toBe(headOnly.length);
  });
});
