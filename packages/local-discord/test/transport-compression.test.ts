import { once } from 'node:events';
import { createInflate, createZstdDecompress } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { localDiscord, rest } from '../testing/local.ts';

/** As long as a loaded machine may take. */
const waitOptions = { timeout: 20_000 };

it.each([
  ['zlib-stream', createInflate],
  ['zstd-stream', createZstdDecompress],
] as const)('%s compresses all that a connection receives, as one stream', async (compression, createDecompressor) => {
  const discord = await localDiscord();
  const socket = new WebSocket(`${discord.gatewayUrl}?v=10&encoding=json&compress=${compression}`);
  onTestFinished(() => socket.terminate());
  const stream = createDecompressor();
  const frames: Buffer[] = [];
  socket.on('message', (data: Buffer) => {
    frames.push(data);
    stream.write(data);
  });
  let received = '';
  stream.on('data', (chunk: Buffer) => (received += String(chunk)));
  const opsAndNames = () => [...received.matchAll(/\{"t":(?:null|"(\w+)"),"s":(?:null|\d+),"op":(\d+)/g)].map(nameOrOp);

  await expect.poll(opsAndNames, waitOptions).toEqual(['10']);
  const identify = { op: 2, d: { token: discord.token, intents: 513, properties: {} } };
  socket.send(JSON.stringify(identify));
  await expect.poll(opsAndNames, waitOptions).toEqual(['10', 'READY', 'GUILD_CREATE']);
  const path = `/channels/${discord.channels.general}/messages`;
  for (const content of ['one', 'two']) await rest(discord)('POST', path, { content });
  // The second identify is an error: the connection is closed after all that was sent before.
  socket.send(JSON.stringify({ op: 1, d: null }));
  socket.send(JSON.stringify(identify));
  expect((await once(socket, 'close'))[0]).toBe(4005);
  await expect.poll(() => opsAndNames().slice(3), waitOptions).toEqual(['MESSAGE_CREATE', 'MESSAGE_CREATE', '11']);
  expect(frames).toHaveLength(6);
});

function nameOrOp([, name, op]: readonly string[]): string {
  return name ?? op ?? '';
}

it('is refused if Discord does not know it', async () => {
  const discord = await localDiscord();
  const socket = new WebSocket(`${discord.gatewayUrl}?v=10&compress=brotli`);
  expect((await once(socket, 'close'))[0]).toBe(4002);
});
