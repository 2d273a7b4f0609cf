import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttpServer, maxConnectionsFrom } from '../../src/http/server.ts';

async function openConnections(url: string, localAddress: string, count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => connect({ port: Number(new URL(url).port), localAddress }));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  await Promise.all(
    sockets.map((socket) => new Promise((resolve) => socket.on('connect', resolve).on('error', resolve))),
  );
  return sockets;
}

/** The status of a request, or null if the connection was closed. */
function requestOn(socket: Socket): Promise<string | null> {
  return new Promise((resolve) => {
    socket.once('data', (data) => resolve(data.toString().slice(9, 12)));
    socket.once('close', () => resolve(null));
    if (socket.destroyed) resolve(null);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n');
  });
}

describe('connections of one address', () => {
  it('leave a part of all connections to other addresses', async () => {
    const server = createHttpServer((_request, response) => void response.end('ok'), { maxConnections: 40 });
    onTestFinished(() => server.close());
    const { url } = await server.listen('127.0.0.1', 0);
    const first = await openConnections(url, '127.0.0.1', 45);
    const others = await openConnections(url, '127.0.0.2', 5);
    expect(await Promise.all(others.map(requestOn))).toEqual(Array(5).fill('200'));
    const statuses = await Promise.all(first.map(requestOn));
    expect(statuses.filter((status) => status === '200')).toHaveLength(30);
  });

  it('are accepted again when earlier ones are closed', async () => {
    const server = createHttpServer((_request, response) => void response.end('ok'), { maxConnections: 4 });
    onTestFinished(() => server.close());
    const { url } = await server.listen('127.0.0.1', 0);
    for (let round = 0; round < 4; round += 1) {
      const sockets = await openConnections(url, '127.0.0.1', 3);
      expect(await Promise.all(sockets.map(requestOn))).toEqual(['200', '200', '200']);
      await Promise.all(sockets.map((socket) => new Promise((resolve) => void socket.on('close', resolve).end())));
    }
  });

  it.each([
    ['127.0.0.1', 1_500],
    ['::1', 1_500],
    ['::ffff:10.1.2.3', 1_500],
    ['172.17.0.1', 1_500],
    ['fe80::1%eth0', 1_500],
    ['203.0.113.7', 500],
    ['::ffff:203.0.113.7', 500],
    ['2001:db8::1', 500],
  ])('of %s are at most %i of 2,000', (address, max) => {
    expect(maxConnectionsFrom(address, 2_000)).toBe(max);
  });
});
