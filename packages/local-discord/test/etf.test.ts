import { once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { decodeEtf, encodeEtf } from '../src/etf.ts';
import { localDiscord } from '../testing/local.ts';

const payload = (op: number, d: unknown) => ({ op, d });

it('reads what Erlang writes, and writes what it reads', () => {
  const heartbeat = { op: 1, d: 251, t: null };
  // term_to_binary(#{op => 1, d => 251, t => nil}) of Erlang 25.
  const written = Buffer.from('8374000000036400016461fb6400026f706101640001746400036e696c', 'hex');
  expect(decodeEtf(written)).toEqual(heartbeat);
  // Of these bytes, binary_to_term makes the same map.
  const readable = '83740000000377026f70610177016461fb77017477036e696c';
  expect(encodeEtf(heartbeat).toString('hex')).toBe(readable);
});

it('returns every value of JSON as it was', () => {
  const value = fc.oneof(fc.jsonValue({ stringUnit: 'grapheme' }), fc.integer(), fc.maxSafeInteger());
  fc.assert(
    fc.property(value, fc.nat(11), (d, op) => {
      const asJson = JSON.parse(JSON.stringify(payload(op, d)));
      return isDeepStrictEqual(decodeEtf(encodeEtf(payload(op, d))), asJson);
    }),
  );
});

it('does not accept bytes that are no term, or end too early', () => {
  const data = { token: 'x', intents: 2 ** 40, shard: [0, 1.5], list: [], id: '1190000000000000001' };
  const whole = encodeEtf(payload(2, data));
  expect(decodeEtf(whole)).toMatchObject({ d: { intents: 2 ** 40, id: '1190000000000000001' } });
  for (let length = 0; length < whole.length; length += 1) expect(decodeEtf(whole.subarray(0, length))).toBe(undefined);
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void decodeEtf(Buffer.from(bytes))));
});

it('is the encoding of a connection that asks for it', async () => {
  const discord = await localDiscord();
  const socket = new WebSocket(`${discord.gatewayUrl}?v=10&encoding=etf`);
  onTestFinished(() => socket.terminate());
  const received: unknown[] = [];
  socket.on('message', (data: Buffer) => received.push(decodeEtf(data)));
  await expect.poll(() => received, { timeout: 20_000 }).toMatchObject([{ op: 10, d: { heartbeat_interval: 41_250 } }]);
  socket.send(encodeEtf(payload(2, { token: discord.token, intents: 1, properties: {} })));
  const guild = { t: 'GUILD_CREATE', d: { id: discord.guildId, name: 'Lantern Harbour' } };
  await expect.poll(() => received.slice(1), { timeout: 20_000 }).toMatchObject([{ t: 'READY', s: 1 }, guild]);
  socket.send('{}');
  expect((await once(socket, 'close'))[0]).toBe(4002);
});
