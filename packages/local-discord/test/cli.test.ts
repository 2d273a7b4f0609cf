import { join } from 'node:path';
import { serve } from '@tallyhook/platform/testing/serve';
import { startNodeProgram } from '@tallyhook/platform/testing/start-node-program';
import { tempDir } from '@tallyhook/platform/testing/temp-dir';
import { describe, expect, it } from 'vitest';

const entryFile = new URL('../src/main.ts', import.meta.url).pathname;
const waitOptions = { timeout: 30_000 };

function run(...args: readonly string[]) {
  return startNodeProgram(entryFile, args, {}, tempDir());
}

/** Starts it with `--json`, and waits for what it prints. */
async function start(...args: readonly string[]) {
  const program = run('--json', ...args);
  await expect.poll(program.output, waitOptions).toContain('\n');
  const printed = JSON.parse(program.output().split('\n')[0] ?? '');
  const ask = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bot ${printed.token}`, 'content-type': 'application/json' };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    return (await fetch(`${printed.apiUrl}/v10${path}`, init)).json();
  };
  return { program, printed, ask };
}

describe('local-discord', { timeout: 120_000 }, () => {
  it('prints where it is, and how libraries get that address', async () => {
    const program = run();
    await expect.poll(program.output, waitOptions).toContain('oceanic.js');
    const url = /REST API +(http:\/\/127\.0\.0\.1:\d+\/api)\n/.exec(program.output())?.[1];
    expect(program.output()).toContain(`DISCORD_API_URL=${url}\n`);
    expect(await (await fetch(`${url}/v10/gateway`)).json()).toEqual({
      url: expect.stringMatching(/^ws:.*\/gateway$/),
    });
    program.process.kill('SIGINT');
    expect(await program.ended).toBe(0);
  });

  it('has the guild, members and identity that are named', async () => {
    const { program, printed, ask } = await start(
      ...[
        '--guild',
        'Lighthouse',
        '--members',
        'Ann, Bo B.',
        '--token',
        'secret',
        '--application-id',
        '123456789012345678',
      ],
    );
    expect(printed.members.map(({ username }: { username: string }) => username)).toEqual(['ann', 'bo_b.']);
    expect(printed).toMatchObject({ token: 'secret', applicationId: '123456789012345678' });
    const [ann] = printed.members;
    expect(await ask('GET', `/guilds/${printed.guildId}`)).toMatchObject({ name: 'Lighthouse', owner_id: ann.id });
    expect(await ask('GET', '/users/@me')).toMatchObject({ id: '123456789012345678', bot: true });
    const names = await Promise.all(
      ['roles', 'channels'].map((part) => ask('GET', `/guilds/${printed.guildId}/${part}`)),
    );
    expect(JSON.stringify(names)).not.toMatch(/vote|tallyhook/i);
    program.process.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  });

  it('has the same token and public key at each start, and what --state stores', async () => {
    const state = join(tempDir(), 'state.json');
    const first = await start('--state', state);
    const { guildId, applicationId, channels } = first.printed;
    const commands = `/applications/${applicationId}/guilds/${guildId}/commands`;
    await first.ask('POST', commands, { name: 'ping', description: 'Replies.' });
    await first.ask('POST', `/channels/${channels.general}/messages`, { content: 'hello' });
    first.program.process.kill('SIGTERM');
    expect(await first.program.ended).toBe(0);
    const second = await start('--state', state);
    expect(second.printed).toMatchObject({ token: first.printed.token, publicKey: first.printed.publicKey });
    expect(await second.ask('GET', commands)).toMatchObject([{ name: 'ping' }]);
    expect(await second.ask('GET', `/channels/${channels.general}/messages`)).toMatchObject([{ content: 'hello' }]);
  });

  it('waits for a bot that answers interactions at a URL', async () => {
    let isReady = false;
    let pings = 0;
    const url = await serve((_request, response) => {
      if (isReady) pings += 1;
      // Of the two PINGs that Discord sends, the first one has a wrong signature.
      if (pings % 2 === 1) response.writeHead(401).end();
      else response.writeHead(isReady ? 200 : 503, { 'content-type': 'application/json' }).end('{"type":1}');
    });
    const { program, ask } = await start('--interactions-url', url);
    await expect.poll(program.output, waitOptions).toContain('does not pass the check yet');
    isReady = true;
    await expect.poll(program.output, waitOptions).toContain(`Interactions are sent to ${url}`);
    expect(await ask('GET', '/applications/@me')).toMatchObject({ interactions_endpoint_url: url });
  });

  it.each([
    [['--member', 'a'], 'Did you mean --members?'],
    [['--port', '70000'], 'from 0 to 65535'],
    [['--application-id', 'mine'], 'an id of Discord'],
    [['--interactions-url', 'localhost:3000'], 'http://'],
    [['--guild', 'x'], '2 to 100 characters'],
    [['--members', 'ann,,bo'], 'names of 2 to 32 characters'],
    [['--members', 'Ann,ann'], 'different names: Ann, ann'],
    [['--state', '/nowhere/state.json'], 'a folder that can be written'],
    [['run'], 'Too many arguments'],
  ])('exits with 2 for %j', async (args, message) => {
    const program = run(...args);
    expect(await program.ended).toBe(2);
    expect(program.output()).toContain(message);
  });
});
