import { expect, test } from 'vitest';
import { serviceCommand } from '../../src/service/cli.ts';
import { tempDir } from '../support/temp-dir.ts';
import { ask, eventually, serverId } from './running.ts';
import { captive } from './terminal.ts';

const quiet = ['--log-level', 'silent'];

async function started(args: readonly string[]) {
  const { terminal, output, stop } = captive();
  const code = serviceCommand(['--port', '0', ...quiet, ...args], terminal);
  const url = await eventually(() => {
    const found = /its API at (\S+)/.exec(output())?.[1];
    if (found === undefined) throw new Error('not started yet');
    return found;
  });
  return {
    url,
    output,
    async end() {
      stop();
      return code;
    },
  };
}

test('it starts alone on its own port and database, seeded, and shows the keys once', async () => {
  const database = `sqlite:${tempDir()}/data/service.db`;
  const first = await started(['--database', database, '--seed']);
  const key = /server \d+ {2}(\S+)/.exec(first.output())?.[1] ?? '';
  expect((await ask(`${first.url}/server`, { headers: { 'X-API-Key': key } })).json).toMatchObject({
    data: { id: serverId },
  });
  expect(await first.end()).toBe(0);

  const second = await started(['--database', database, '--seed']);
  expect(second.output()).not.toContain(key);
  expect((await ask(`${second.url}/server`, { headers: { 'X-API-Key': key } })).status).toBe(200);
  expect(await second.end()).toBe(0);
});

test('a listing put on it by hand has a key that works, and its owner signs in by a link that works once', async () => {
  const database = `sqlite:${tempDir()}/service.db`;
  const words = ['--database', database];
  const add = captive();
  const about = ['--kind', 'bot', '--id', '99', '--name', 'Helper', '--owner', '7'];
  expect(await serviceCommand(['add-listing', ...words, ...about], add.terminal)).toBe(0);
  const key = /bot_\S+/.exec(add.output())?.[0] ?? '';
  const again = captive();
  expect(await serviceCommand(['add-listing', ...words, ...about], again.terminal)).toBe(1);
  expect(again.output()).toContain('already');

  const hosted = ['--production', '--public-url', 'https://list.example'];
  const service = await started([...words, ...hosted]);
  expect(service.url).toBe('https://list.example/api/v1');
  expect(await service.end()).toBe(0);

  const local = await started(words);
  const { json } = await ask(`${local.url}/bot`, { headers: { 'X-API-Key': key } });
  expect(json).toMatchObject({ data: { id: '99', name: 'Helper' } });
  const link = captive();
  expect(await serviceCommand(['sign-in', ...words, '--user', '7', '--name', 'Ann'], link.terminal)).toBe(0);
  const path = new URL(/http\S+/.exec(link.output())?.[0] ?? '').pathname;
  const origin = new URL(local.url).origin;
  expect((await ask(origin + path)).text).toContain('Sign me in');
  const signedIn = await ask(origin + path, { method: 'POST' });
  expect(signedIn.status).toBe(303);
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  expect((await ask(`${origin}/dashboard/99`, { headers: { cookie } })).text).toContain('Helper');
  expect((await ask(origin + path, { method: 'POST' })).status).toBe(403);
  expect(await local.end()).toBe(0);
});

/** Of a start that fails at its database, so that nothing listens on every address of the machine that runs the tests. */
async function complaintsOnHost(host: string, ...more: string[]): Promise<string> {
  const { terminal, output } = captive();
  const args = ['--database', 'sqlite:/dev/null/service.db', '--port', '0', '--host', host, ...quiet, ...more];
  expect(await serviceCommand(args, terminal)).toBe(1);
  return output();
}

test.each(['0.0.0.0', '0', '::', '0:0:0:0:0:0:0:0', ''])(
  'on the wildcard host "%s" it warns that its links need --public-url',
  async (host) => {
    expect(await complaintsOnHost(host)).toContain('Set --public-url.');
    expect(await complaintsOnHost(host, '--public-url', 'http://list.example')).not.toContain('public-url');
  },
);

test.each(['localhost', '127.0.0.1', '::1'])('on the host %s it does not ask for --public-url', async (host) => {
  expect(await complaintsOnHost(host)).not.toContain('public-url');
});

test('--help says all', async () => {
  const { terminal, output } = captive();
  expect(await serviceCommand(['--help'], terminal)).toBe(0);
  for (const word of ['--port', '--host', '--database', '--seed', '--production', '--public-url', 'sign-in']) {
    expect(output()).toContain(word);
  }
});

test.each([
  [['--port', 'abc']],
  [['--port', '70000']],
  [['--nonsense']],
  [['dance']],
  [['--production']],
  [['--production', '--public-url', 'http://plain.example']],
  [['--log-level', 'loud']],
  [['add-listing', '--kind', 'fish', '--id', '1', '--name', 'n', '--owner', '1']],
  [['sign-in', '--user', 'abc', '--name', 'n']],
])('%j is wrong usage: exit code 2', async (args) => {
  const { terminal, output } = captive();
  const database = ['--database', `sqlite:${tempDir()}/service.db`];
  expect(await serviceCommand([...args, ...database], terminal)).toBe(2);
  expect(output()).not.toBe('');
});

test('a database that cannot be opened is exit code 1, with the cure', async () => {
  const { terminal, output } = captive();
  expect(await serviceCommand(['--database', 'sqlite:/dev/null/service.db', '--port', '0'], terminal)).toBe(1);
  expect(output()).toContain('--database');
});

test('a port that is taken is exit code 1', async () => {
  const one = await started(['--database', `sqlite:${tempDir()}/service.db`]);
  const { terminal, output } = captive();
  const { port } = new URL(one.url);
  const args = ['--database', `sqlite:${tempDir()}/service.db`, '--port', port, ...quiet];
  expect(await serviceCommand(args, terminal)).toBe(1);
  expect(output()).toContain('port');
  await one.end();
});
