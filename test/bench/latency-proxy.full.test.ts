import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../bench/process/listen.ts';
import { median } from '../../bench/samples.ts';
import { compileLatencyProxy, startLatencyProxy } from '../../bench/scale/latency-proxy.ts';
import { processTimes } from '../../bench/scale/process-times.ts';
import { isSkipped } from '../support/optional-programs.ts';

const directory = mkdtempSync(join(tmpdir(), 'tallyhook-test-'));
const program = await compileLatencyProxy(directory);
afterAll(() => rmSync(directory, { recursive: true }));

/** Starts a server and a proxy in front of it. Returns a client's connection through the proxy. */
async function connectThrough(roundTripMs: number, serve: (socket: Socket) => void) {
  const server = createServer({ allowHalfOpen: true }, serve);
  const proxy = await startLatencyProxy(program ?? '', await listen(server), roundTripMs);
  const socket = connect({ port: proxy.port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  await once(socket, 'connect');
  onTestFinished(async () => {
    socket.destroy();
    server.close();
    await proxy.stop();
  });
  return { socket, proxy };
}

/** Median time until one byte is echoed (ms). */
async function echoTime(socket: Socket): Promise<number> {
  const times: number[] = [];
  for (let each = 0; each < 40; each += 1) {
    const startedAt = performance.now();
    socket.write('x');
    await once(socket, 'data');
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

const echo = (socket: Socket) => void socket.setNoDelay(true).pipe(socket);

describe.skipIf(isSkipped(program !== null))('the latency proxy', () => {
  it('adds its round trip', async () => {
    for (const roundTripMs of [0.75, 5]) {
      expect(await echoTime((await connectThrough(roundTripMs, echo)).socket)).toBeGreaterThan(roundTripMs * 0.9);
    }
  });

  it('delays messages in parallel: many at once take one delay, not one each', async () => {
    const { socket } = await connectThrough(200, echo);
    const { socket: slow } = await connectThrough(2_000, echo);
    let received = 0;
    socket.on('data', (bytes: Buffer) => (received += bytes.length));
    for (let each = 0; each < 10; each += 1) {
      socket.write('x');
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    // Ten delays one after the other would last as long as this one.
    slow.write('x');
    await once(slow, 'data');
    expect(received).toBe(10);
  });

  it('forwards all bytes intact in both directions, also after one side has ended its stream', async () => {
    const sent = randomBytes(20 * 2 ** 20);
    const { socket } = await connectThrough(1, (server) => void buffer(server).then((bytes) => server.end(bytes)));
    socket.end(sent);
    // The server responds only when it has received everything.
    expect(sent.equals(await buffer(socket))).toBe(true);
  });

  it('closes the connection to the server when the client closes its own', async () => {
    const closed = Promise.withResolvers<void>();
    const { socket } = await connectThrough(1, (server) => {
      server.on('error', () => {}).on('close', closed.resolve);
      server.on('end', () => server.end());
      server.resume();
    });
    socket.destroy();
    await closed.promise;
  });

  it('uses no CPU time while nothing is sent', async () => {
    const { socket, proxy } = await connectThrough(1, echo);
    await echoTime(socket);
    const before = processTimes().of(proxy.pid);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(processTimes().of(proxy.pid) - before).toBeLessThan(50_000);
  });
});
