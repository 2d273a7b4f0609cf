import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { shareQueries } from '@tallyhook/platform/webhooks/target';
import { expect, onTestFinished, test } from 'vitest';
import { mira, type Running, running, serverId } from '../testing/running.ts';
import { newcomer, untilState } from './queue.ts';

/** A vote after the others, so that its delivery is the newest. */
async function vote({ service, clock }: Running, voter: { userId: string; username: string }): Promise<void> {
  clock.leap(1);
  await service.castVote({ kind: 'server', ...voter });
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A receiver that counts its connections. */
async function countingReceiver() {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end('{"received":true}'));
  });
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  return { port: await listening(server), opened: () => connections, open: () => sockets.size };
}

test('deliveries use connections again, which are closed in the end', async () => {
  const instance = await running();
  const { port, opened, open } = await countingReceiver();
  await instance.service.setWebhook(serverId, { voteUrl: `http://127.0.0.1:${port}/` });
  await vote(instance, mira);
  await untilState(instance, 'delivered', 1);
  await vote(instance, newcomer);
  await untilState(instance, 'delivered', 1);
  expect(opened()).toBe(1);
  expect(open()).toBe(1);
  await instance.service.stop();
  await eventually(() => expect(open()).toBe(0));
});

test('a connection is only used for a host whose addresses are the checked ones', async () => {
  const { port, opened } = await countingReceiver();
  let address = '127.0.0.1';
  const instance = await running({ resolve: async () => [{ address, family: 4 }] });
  await instance.service.setWebhook(serverId, { voteUrl: `http://rebinding.example:${port}/` });
  await vote(instance, mira);
  await untilState(instance, 'delivered', 1);
  address = '10.0.0.7';
  await vote(instance, newcomer);
  const rejected = await untilState(instance, 'waiting', 1);
  expect(rejected?.attemptHistory[0]?.error).toBe('The host rebinding.example is not on the public internet.');
  address = '127.0.0.2';
  await vote(instance, { userId: '44', username: 'another' });
  const refused = await untilState(instance, 'waiting', 1);
  expect(refused?.attemptHistory[0]).toMatchObject({ status: null, error: expect.stringContaining('127.0.0.2') });
  expect(opened()).toBe(1);
});

test('a request on a connection that the receiver closes at that moment is sent again in the same attempt', async () => {
  let connections = 0;
  let requests = 0;
  const port = await listening(
    createTcpServer((socket) => {
      connections += 1;
      let requestsHere = 0;
      socket.on('error', () => {});
      socket.on('data', () => {
        requests += 1;
        requestsHere += 1;
        if (requestsHere === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
        else socket.destroy();
      });
      onTestFinished(() => void socket.destroy());
    }),
  );
  const instance = await running();
  await instance.service.setWebhook(serverId, { voteUrl: `http://127.0.0.1:${port}/` });
  for (const voter of [mira, newcomer]) {
    await vote(instance, voter);
    const delivery = await untilState(instance, 'delivered', 1);
    expect(delivery?.attemptHistory).toMatchObject([{ status: 200, error: null }]);
  }
  expect({ connections, requests }).toEqual({ connections: 2, requests: 3 });
});

test('who asks for the addresses of a host while another asks waits for the same answer', async () => {
  const asked: string[] = [];
  const { promise, resolve: answer } = Promise.withResolvers<readonly { address: string; family: 4 }[]>();
  const resolve = shareQueries((hostname) => {
    asked.push(hostname);
    return hostname === 'slow.example' ? promise : Promise.reject(new Error('ENOTFOUND'));
  });
  const both = Promise.all([resolve('slow.example'), resolve('slow.example')]);
  await expect(resolve('unknown.example')).rejects.toThrow('ENOTFOUND');
  await expect(resolve('unknown.example')).rejects.toThrow('ENOTFOUND');
  answer([{ address: '127.0.0.1', family: 4 }]);
  expect(await both).toHaveLength(2);
  await resolve('slow.example');
  expect(asked).toEqual(['slow.example', 'unknown.example', 'unknown.example', 'slow.example']);
});
