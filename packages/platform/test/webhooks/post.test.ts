import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { systemClock } from '@tallyhook/platform/clock';
import { expect, onTestFinished, test } from 'vitest';
import { createConnections, post } from '../../src/webhooks/post.ts';

const timeoutMs = 400;

/** Posts to a server that answers each request with what `answer` writes to its connection. */
async function postTo(answer: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => answer(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connections = createConnections();
  onTestFinished(() => {
    connections.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const target = { url, addresses: [{ address: '127.0.0.1', family: 4 as const }] };
  const startedAt = performance.now();
  const outcome = await post(target, '{}', {}, { clock: systemClock, timeoutMs, connections });
  return { outcome, durationMs: performance.now() - startedAt };
}

const head = (status: string, ...headers: string[]) => `HTTP/1.1 ${[status, ...headers].join('\r\n')}\r\n\r\n`;
const upgrade = ['connection: upgrade', 'upgrade: websocket'];

/** Writes again and again, as long as the connection is open. */
function drip(socket: Socket, chunk: string, first = ''): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(chunk), 20);
  socket.on('close', () => clearInterval(timer));
}

test.each<[what: string, answer: (socket: Socket) => void]>([
  ['nothing', () => {}],
  ['slow headers', (socket) => drip(socket, 'x', 'HTTP/1.1 200 OK\r\nx: ')],
  ['interim responses alone', (socket) => drip(socket, head('103 Early Hints', 'link: </x>'))],
  ['a response that never ends', (socket) => drip(socket, 'x', head('200 OK'))],
  ['a response that breaks off', (socket) => socket.end(`${head('200 OK', 'content-length: 9')}x`)],
  ['another protocol', (socket) => socket.write(head('101 Switching Protocols', ...upgrade))],
  ['headers of 200 kB', (socket) => socket.write(head('200 OK', `x: ${'x'.repeat(200_000)}`))],
  ['no HTTP', (socket) => socket.write('220 ready\r\n')],
  ['the end of the connection', (socket) => socket.resetAndDestroy()],
])('a request that is answered with %s has failed, within its time', async (_, answer) => {
  const { outcome, durationMs } = await postTo(answer);
  expect(outcome).toEqual({ status: null, error: expect.any(String), responseBody: null, retryAfter: null });
  expect(durationMs).toBeLessThan(timeoutMs + 1_000);
});

test('of a response of 100 MB only the beginning is read', async () => {
  const size = 100_000_000;
  let written = 0;
  const { outcome } = await postTo((socket) => {
    socket.write(head('200 OK', `content-length: ${size}`));
    const chunk = 'x'.repeat(100_000);
    const writeMore = () => {
      while (!socket.destroyed && written < size) {
        written += chunk.length;
        if (!socket.write(chunk)) return void socket.once('drain', writeMore);
      }
    };
    writeMore();
  });
  expect(outcome).toMatchObject({ status: 200, error: null, responseBody: 'x'.repeat(2_000) });
  expect(written).toBeLessThan(size / 5);
});
