import { writeFileSync } from 'node:fs';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { expect, test } from 'vitest';
import { serviceCommand } from '../src/cli/service-command.ts';
import { ask, serverId } from '../testing/running.ts';
import { captive } from '../testing/terminal.ts';

const silent = ['--log-level', 'silent'];

async function startCommand(args: readonly string[]) {
  const { terminal, output, stop } = captive();
  const code = serviceCommand(['--port', '0', ...silent, ...args], terminal);
  const url = await eventually(() => {
    const url = /its API at (\S+)/.exec(output())?.[1];
    if (url === undefined) throw new Error('not started yet');
    return url;
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

test('it starts on its own port and database, seeded, and prints the keys once', async () => {
  const database = `sqlite:${tempDir()}/service.db`;
  const first = await startCommand(['--database', database, '--seed']);
  const key = /server \d+ {2}(\S+)/.exec(first.output())?.[1] ?? '';
  expect((await ask(`${first.url}/server`, { headers: { 'X-API-Key': key } })).json).toMatchObject({
    data: { id: serverId },
  });
  expect(await first.end()).toBe(0);

  const second = await startCommand(['--database', database, '--seed']);
  expect(second.output()).not.toContain(key);
  expect((await ask(`${second.url}/server`, { headers: { 'X-API-Key': key } })).status).toBe(200);
  expect(await second.end()).toBe(0);
});

test('an added listing has a valid key, and its owner signs in by a link that is valid once', async () => {
  // A path is SQLite, with or without the scheme.
  const path = `${tempDir()}/service.db`;
  const databaseArgs = ['--database', path];
  const add = captive();
  const listingArgs = ['--kind', 'bot', '--id', '99', '--name', 'Helper', '--owner', '7'];
  expect(await serviceCommand(['add-listing', ...databaseArgs, ...listingArgs], add.terminal)).toBe(0);
  const key = /bot_\S+/.exec(add.output())?.[0] ?? '';
  const again = captive();
  expect(await serviceCommand(['add-listing', ...databaseArgs, ...listingArgs], again.terminal)).toBe(1);
  expect(again.output()).toContain('already exists');

  const hosted = ['--production', '--public-url', 'https://list.example'];
  const service = await startCommand([...databaseArgs, ...hosted]);
  expect(service.url).toBe('https://list.example/api/v1');
  expect(await service.end()).toBe(0);

  const local = await startCommand(['--database', `sqlite:${path}`]);
  const { json } = await ask(`${local.url}/bot`, { headers: { 'X-API-Key': key } });
  expect(json).toMatchObject({ data: { id: '99', name: 'Helper' } });
  const link = captive();
  expect(await serviceCommand(['sign-in', ...databaseArgs, '--user', '7', '--name', 'Ann'], link.terminal)).toBe(0);
  const { pathname } = new URL(/http\S+/.exec(link.output())?.[0] ?? '');
  const { origin } = new URL(local.url);
  expect((await ask(origin + pathname)).text).toContain('Sign me in');
  const signedIn = await ask(origin + pathname, { method: 'POST' });
  expect(signedIn.status).toBe(303);
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  expect((await ask(`${origin}/dashboard/99`, { headers: { cookie } })).text).toContain('Helper');
  expect((await ask(origin + pathname, { method: 'POST' })).status).toBe(403);
  expect(await local.end()).toBe(0);
});

/**
 * The errors of a start with an invalid database, so that the service never listens on all addresses of this machine.
 */
async function errorsOnHost(host: string, ...more: string[]): Promise<string> {
  const { terminal, output } = captive();
  const args = ['--database', 'sqlite:/dev/null/service.db', '--port', '0', '--host', host, ...silent, ...more];
  expect(await serviceCommand(args, terminal)).toBe(1);
  return output();
}

test.each(['0.0.0.0', '0', '::', '0:0:0:0:0:0:0:0', ''])(
  'on the wildcard host "%s" it warns that its links need --public-url',
  async (host) => {
    expect(await errorsOnHost(host)).toContain('Set --public-url.');
    expect(await errorsOnHost(host, '--public-url', 'http://list.example')).not.toContain('public-url');
  },
);

test.each(['localhost', '127.0.0.1', '::1'])('on the host %s it does not request --public-url', async (host) => {
  expect(await errorsOnHost(host)).not.toContain('public-url');
});

test('--help lists the options', async () => {
  const { terminal, output } = captive();
  expect(await serviceCommand(['start', '--help'], terminal)).toBe(0);
  for (const word of ['--port', '--host', '--database', '--seed', '--production', '--public-url']) {
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
  [['--database', 'mysql://127.0.0.1/list', '--port', '0']],
  [['--database', '', '--port', '0']],
])('%j is invalid usage: exit code 2', async (args) => {
  const { terminal, output } = captive();
  const database = args.includes('--database') ? [] : ['--database', `sqlite:${tempDir()}/service.db`];
  expect(await serviceCommand([...args, ...database], terminal)).toBe(2);
  expect(output()).not.toBe('');
});

test('a database that cannot be opened is exit code 1, with a hint', async () => {
  const { terminal, output } = captive();
  expect(await serviceCommand(['--database', 'sqlite:/dev/null/service.db', '--port', '0'], terminal)).toBe(1);
  expect(output()).toContain('--database');
});

test('a port in use is exit code 1', async () => {
  const one = await startCommand(['--database', `sqlite:${tempDir()}/service.db`]);
  const { terminal, output } = captive();
  const { port } = new URL(one.url);
  const args = ['--database', `sqlite:${tempDir()}/service.db`, '--port', port, ...silent];
  expect(await serviceCommand(args, terminal)).toBe(1);
  expect(output()).toContain('port');
  await one.end();
});

const discordArgs = ['--discord-client-id', '1190000000000000003'];
const secretVariable = { SERVICE_DISCORD_CLIENT_SECRET: 'the client secret' };

test.each([
  ['a variable', [], secretVariable],
  ['a file', ['--discord-client-secret-file', 'FILE'], {}],
] as const)('the client secret for sign-in with Discord is in %s', async (_, args, environment) => {
  const { terminal, output, stop } = captive(undefined, environment);
  const database = `sqlite:${tempDir()}/service.db`;
  const apiArgs = ['--discord-api-url', 'http://127.0.0.1:9/api/'];
  const code = serviceCommand(
    ['--port', '0', '--database', database, ...silent, ...discordArgs, ...apiArgs, ...withFile(args)],
    terminal,
  );
  const url = await eventually(() => {
    const [found] = /http:\/\/127\S+(?=, its API)/.exec(output()) ?? [];
    if (found === undefined) throw new Error('not started yet');
    return found;
  });
  const { status, headers } = await ask(`${url}/sign-in/discord`);
  expect(status).toBe(303);
  expect(headers.get('location')).toMatch(
    /^http:\/\/127\.0\.0\.1:9\/api\/oauth2\/authorize\?client_id=1190000000000000003&/,
  );
  stop();
  expect(await code).toBe(0);
});

test.each([
  ['without a secret', discordArgs, {}, 'client secret is missing'],
  ['with two secrets', [...discordArgs, '--discord-client-secret-file', 'FILE'], secretVariable, 'set twice'],
  ['with a file that does not exist', [...discordArgs, '--discord-client-secret-file', '/none'], {}, 'does not exist'],
  ['without an id', ['--discord-client-secret-file', 'FILE'], {}, '--discord-client-id is missing'],
  ['with a name as id', ['--discord-client-id', 'list'], secretVariable, 'must be a Discord id'],
  ['with an invalid URL', [...discordArgs, '--discord-api-url', 'discord'], secretVariable, 'must be a URL'],
] as const)('sign-in with Discord is rejected %s', async (_, args, environment, message) => {
  const { terminal, output } = captive(undefined, environment);
  expect(await serviceCommand(['--port', '0', ...silent, ...withFile(args)], terminal)).toBeGreaterThan(0);
  expect(output()).toContain(message);
});

/** The arguments, with the path of a file that contains the secret in place of `FILE`. */
function withFile(args: readonly string[]): string[] {
  const path = `${tempDir()}/client.secret`;
  writeFileSync(path, 'the client secret\n');
  return args.map((each) => (each === 'FILE' ? path : each));
}
