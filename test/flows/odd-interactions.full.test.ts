import { rawConnection } from '@tallyhook/platform/testing/raw-http';
import { sample } from '@tallyhook/platform/testing/sample';
import { ApplicationCommandType, ComponentType, InteractionType } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { createSigningKey, type SigningKey } from '../../packages/local-discord/src/outgoing-interactions.ts';
import { type Installation, startInstallation } from '../support/start-installation.ts';

type Json = Readonly<Record<string, unknown>>;

/** The program with an endpoint for interactions, whose key the test has. */
async function startEndpoint() {
  const key = createSigningKey();
  const installation = await startInstallation({ DISCORD_PUBLIC_KEY: key.publicKey });
  const { discord } = installation;
  const path = `applications/${discord.applicationId}/guilds/${discord.guildId}/commands`;
  const commands = await expect
    .poll(() => registered(`${discord.apiUrl}/v10/${path}`, discord.token), { timeout: 30_000 })
    .toContainEqual(expect.objectContaining({ name: 'help' }))
    .then(() => registered(`${discord.apiUrl}/v10/${path}`, discord.token));
  const helpId = commands.find(({ name }) => name === 'help')?.id ?? '';
  return { ...installation, key, examples: examplesIn(installation, helpId) };
}

async function registered(url: string, token: string): Promise<{ id: string; name: string }[]> {
  const response = await fetch(url, { headers: { authorization: `Bot ${token}` } });
  return (await response.json()) as { id: string; name: string }[];
}

/** One interaction of each type, as Discord sends it. */
function examplesIn({ discord }: Pick<Installation, 'discord'>, helpId: string): Readonly<Record<string, Json>> {
  const user = { id: '200000000000000001', username: 'mira', global_name: 'Mira' };
  const common = {
    application_id: discord.applicationId,
    token: 'token-of-the-interaction',
    version: 1,
    guild_id: discord.guildId,
    channel: { id: discord.channels.general, type: 0 },
    channel_id: discord.channels.general,
    member: { user, nick: null, roles: ['300000000000000001'], permissions: '32' },
    app_permissions: '2147483647',
    locale: 'en-US',
    guild_locale: 'en-US',
    context: 0,
    authorizing_integration_owners: { 0: discord.guildId },
  };
  const message = { id: '400000000000000001', flags: 0, attachments: [], content: '' };
  const custom_id = 'tallyhook:leaderboard/period:';
  const resolved = {
    roles: { 'role-id': { id: '300000000000000001', name: 'Voter', permissions: '0', managed: false } },
    channels: { 'channel-id': { id: '500000000000000001', name: 'votes', app_permissions: '3072' } },
  };
  const command = { id: helpId, name: 'help' };
  return {
    command: {
      ...common,
      type: InteractionType.ApplicationCommand,
      data: { ...command, type: ApplicationCommandType.ChatInput, options: [{ name: 'command', type: 3, value: 'x' }] },
    },
    autocomplete: {
      ...common,
      type: InteractionType.ApplicationCommandAutocomplete,
      data: { ...command, type: 1, options: [{ name: 'command', type: 3, value: 'x', focused: true }] },
    },
    component: {
      ...common,
      type: InteractionType.MessageComponent,
      data: { custom_id, component_type: ComponentType.StringSelect, values: ['week'], resolved },
      message,
    },
    modal: {
      ...common,
      type: InteractionType.ModalSubmit,
      data: {
        custom_id,
        resolved,
        components: [
          { type: ComponentType.Label, component: { type: 4, custom_id: 'a', value: 'x' } },
          { type: ComponentType.ActionRow, components: [{ type: 3, custom_id: 'b', values: ['x'] }] },
        ],
      },
      message,
    },
  };
}

let lastId = 600_000_000_000_000_000n;

/** Each interaction needs an id of its own, or it would be one that was received before. */
async function send({ url, key }: { url: string; key: SigningKey }, interaction: Json): Promise<number> {
  lastId += 1n;
  const body = JSON.stringify({ ...('id' in interaction ? {} : { id: String(lastId) }), ...interaction });
  const headers = key.headersFor(body, Date.now());
  const response = await fetch(`${url}/interactions`, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return response.status;
}

const oddValues: readonly unknown[] = [undefined, null, 'abc', '', -1, 1.5, true, [], {}, [null], ['abc', 5]];

/** The value with each of its parts, at any depth, missing or replaced. */
function* mutations(value: unknown): Generator<unknown> {
  yield* oddValues;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, part] of Object.entries(value)) {
    for (const mutated of mutations(part)) {
      if (Array.isArray(value)) yield value.with(Number(name), mutated);
      else yield { ...value, [name]: mutated };
    }
  }
}

/** Without the report that the key is not that of the local Discord. */
function errorsIn(lines: readonly string[]): unknown[] {
  const parsed = lines.map((line) => JSON.parse(line) as { level: number; msg: string });
  return parsed.filter(({ level, msg }) => level >= 50 && msg !== 'commands may not be received');
}

describe('a signed interaction', { timeout: 120_000 }, () => {
  it('of any type is answered', async () => {
    const { examples, ...endpoint } = await startEndpoint();
    for (const [type, example] of Object.entries(examples)) expect(await send(endpoint, example), type).toBe(200);
    expect(errorsIn(endpoint.lines)).toEqual([]);
  });

  it('without the owners of the installation, which Discord sends since 2024, is one of its guild', async () => {
    const { examples, ...endpoint } = await startEndpoint();
    for (const [type, example] of Object.entries(examples)) {
      expect(await send(endpoint, { ...example, authorizing_integration_owners: undefined }), type).toBe(200);
    }
    expect(errorsIn(endpoint.lines)).toEqual([]);
  });

  it('without a part that is needed is a 400, which is logged below the level error', async () => {
    const { examples, ...endpoint } = await startEndpoint();
    for (const [type, example] of Object.entries(examples)) {
      for (const name of ['id', 'token', 'data', 'member']) {
        const odd = { ...example, [name]: undefined, ...(name === 'id' && { id: null }) };
        expect(await send(endpoint, odd), `${type} without ${name}`).toBe(400);
      }
      const member = { ...(example['member'] as object), permissions: 'abc' };
      expect(await send(endpoint, { ...example, member }), `${type} with permissions`).toBe(400);
      expect(await send(endpoint, { ...example, app_permissions: 'abc' }), `${type} with app_permissions`).toBe(400);
    }
    expect(await send(endpoint, { ...examples['component'], message: undefined })).toBe(400);
    expect(errorsIn(endpoint.lines)).toEqual([]);
    expect(endpoint.lines.some((line) => line.includes('interaction rejected'))).toBe(true);
  });

  it('with any part missing or of another type is never an error of the program', async () => {
    const { examples, ...endpoint } = await startEndpoint();
    for (const [type, example] of Object.entries(examples)) {
      for (const mutated of sample(mutations(example))) {
        if (typeof mutated !== 'object' || mutated === null) continue;
        const status = await send(endpoint, mutated as Json);
        expect([200, 202, 400], `${type} ${JSON.stringify(mutated)}`).toContain(status);
      }
    }
    expect(errorsIn(endpoint.lines)).toEqual([]);
  });
});

describe('a request to /interactions', { timeout: 60_000 }, () => {
  it('is rejected before its body if its timestamp is too old', async () => {
    const { url, key } = await startEndpoint();
    const { write, waitForResponse } = rawConnection(url);
    const headers = Object.entries(key.headersFor('{}', Date.now() - 16 * 60_000));
    const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    write(`POST /interactions HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n${head}\r\nincomplete`);
    expect(await waitForResponse(/"success":false/)).toMatch(/ 401 .*timestamp/s);
  });

  it('has at most 64 KiB', async () => {
    const { url, key } = await startEndpoint();
    const post = async (size: number) => {
      const body = JSON.stringify({ type: 1, padding: 'x'.repeat(size - 23) });
      expect(body).toHaveLength(size);
      return (await fetch(`${url}/interactions`, { method: 'POST', headers: key.headersFor(body, Date.now()), body }))
        .status;
    };
    expect(await post(64 * 1024)).toBe(200);
    expect(await post(64 * 1024 + 1)).toBe(413);
  });
});
