import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import {
  checkTarget,
  createPublicResolve,
  isPublic,
  RejectedTargetError,
  type TargetPolicy,
} from '../../src/webhooks/target.ts';

const names: Readonly<Record<string, readonly string[]>> = {
  'public.example': ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'private.example': ['10.0.0.7'],
  'mixed.example': ['93.184.215.14', '192.168.1.1'],
  'home.example': ['::1'],
  'nowhere.example': [],
};

function policy(allowLoopback: boolean): TargetPolicy {
  return {
    allowLoopback,
    resolve: async (hostname) => {
      const addresses = names[hostname];
      if (addresses === undefined) throw new Error('ENOTFOUND');
      return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    },
  };
}

test('a public https address is allowed in production and in the sandbox', async () => {
  for (const allowLoopback of [false, true]) {
    const { addresses } = await checkTarget('https://public.example/hook', policy(allowLoopback));
    expect(addresses).toHaveLength(2);
  }
  await checkTarget('https://93.184.215.14:8443/hook', policy(false));
  await checkTarget('https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/', policy(false));
});

test.each([
  'not a url',
  'ftp://public.example/',
  'javascript:alert(1)',
  'http://public.example/',
  'https://user:word@public.example/',
  'https://private.example/',
  'https://mixed.example/',
  'https://home.example/',
  'https://nowhere.example/',
  'https://unknown.example/',
  'https://public.example:25/',
  'https://public.example:6667/',
  'https://127.0.0.1/',
  'https://0x7f.1/',
  'https://2130706433/',
  'https://0177.0.0.1/',
  'https://0.0.0.0/',
  'https://169.254.169.254/latest/meta-data/',
  'https://100.64.0.1/',
  'https://[::1]/',
  'https://[::]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[::127.0.0.1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[2002:7f00:1::]/',
  'https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
  'https://[fe80::1]/',
  'https://[fc00::1]/',
  'https://[fd12:3456::1]/',
  'https://[ff02::1]/',
])('in production %s is rejected', async (url) => {
  await expect(checkTarget(url, policy(false))).rejects.toThrow(RejectedTargetError);
});

test('the sandbox may call this machine, also over http, but not the rest of its network', async () => {
  await checkTarget('http://127.0.0.1:3000/hooks', policy(true));
  await checkTarget('http://[::1]:3000/hooks', policy(true));
  await checkTarget('http://home.example/hooks', policy(true));
  for (const url of ['http://10.0.0.7/', 'https://private.example/', 'http://public.example/']) {
    await expect(checkTarget(url, policy(true))).rejects.toThrow(RejectedTargetError);
  }
});

test('this machine has the addresses of its network interfaces, which are not called in production', async () => {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  for (const { address } of addresses.filter(({ family }) => family === 'IPv4')) {
    await checkTarget(`http://${address}:3000/hooks`, policy(true));
    await expect(checkTarget(`http://${address}:3000/hooks`, policy(false))).rejects.toThrow(RejectedTargetError);
  }
});

test('private IPv4 addresses are not public in any IPv6 notation', () => {
  const octet = fc.nat(255);
  const prefixes = fc.constantFrom(
    [10],
    [127],
    [192, 168],
    [169, 254],
    [172, 16],
    [172, 31],
    [0],
    [100, 64],
    [224],
    [255],
  );
  fc.assert(
    fc.property(prefixes, octet, octet, octet, (prefix, ...rest) => {
      const octets = [...prefix, ...rest].slice(0, 4);
      const [a = 0, b = 0, c = 0, d = 0] = octets;
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
      const forms = [octets.join('.'), `::ffff:${octets.join('.')}`, `::ffff:${hex}`, `::${hex}`, `64:ff9b::${hex}`];
      expect([...forms, `2002:${hex}::1`].filter(isPublic)).toEqual([]);
    }),
  );
});

test('an operator may let every address in, also over http', async () => {
  const anyAddress = { ...policy(false), allowPrivate: true };
  for (const url of ['http://10.0.0.7/', 'https://private.example/', 'http://[fd12:3456::1]/', 'http://127.0.0.1/'])
    await checkTarget(url, anyAddress);
  for (const url of ['ftp://10.0.0.7/', 'http://user:word@10.0.0.7/', 'http://10.0.0.7:25/', 'http://unknown.example/'])
    await expect(checkTarget(url, anyAddress)).rejects.toThrow(RejectedTargetError);
});

/** A name server that answers queries for IPv4 addresses of one host, and for all others never. Returns its address. */
async function nameServer(answered: string, ipv4: readonly number[]): Promise<string> {
  const socket = createSocket('udp4');
  onTestFinished(() => void socket.close());
  socket.on('message', (query, { port }) => {
    const labels = answered.split('.').map((label) => `${String.fromCharCode(label.length)}${label}`);
    const question = Buffer.concat([Buffer.from(`${labels.join('')}\0`), Buffer.from([0, 1, 0, 1])]);
    const isOfHost = query.includes(question.subarray(0, -4));
    if (!isOfHost) return;
    const hasAddress = query.includes(question);
    const header = Buffer.from([0x81, 0x80, 0, 1, 0, hasAddress ? 1 : 0, 0, 0, 0, 0]);
    const asked = query.subarray(12, 12 + question.length);
    const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...ipv4]);
    socket.send(
      Buffer.concat([query.subarray(0, 2), header, asked, hasAddress ? record : Buffer.of()]),
      port,
      '127.0.0.1',
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return `127.0.0.1:${socket.address().port}`;
}

test('hosts whose name server is dead keep no other name waiting', async () => {
  const server = await nameServer('public.example', [93, 184, 215, 14]);
  const resolve = createPublicResolve([server]);
  void Promise.allSettled(Array.from({ length: 20 }, (_, index) => resolve(`dead${index}.example`)));
  const startedAt = performance.now();
  expect(await resolve('public.example')).toEqual([{ address: '93.184.215.14', family: 4 }]);
  await lookup('localhost');
  expect(performance.now() - startedAt).toBeLessThan(900);
});
