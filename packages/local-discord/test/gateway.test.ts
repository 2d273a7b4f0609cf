import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get } from 'node:http';
import { minute, second } from '@tallyhook/platform/durations';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { localDiscord, rest } from '../testing/local.ts';
import { Client } from '../testing/raw-gateway.ts';

const guilds = 1;
const guildMembers = 2;
const guildMessages = 1 << 9;

async function sendMessage(discord: Awaited<ReturnType<typeof localDiscord>>, content: string): Promise<void> {
  await rest(discord)('POST', `/channels/${discord.channels.general}/messages`, { content });
}

describe('a gateway connection', () => {
  it('receives hello, a heartbeat acknowledgement, and the guild', async () => {
    const discord = await localDiscord();
    const client = new Client(`${discord.gatewayUrl}/?v=10&encoding=json`);
    expect(await client.op(10)).toMatchObject({ d: { heartbeat_interval: 41_250 } });
    client.send({ op: 1, d: null });
    await client.op(11);
    client.identify({ token: discord.token, intents: guilds });
    expect(await client.op(0)).toMatchObject({
      t: 'READY',
      s: 1,
      d: {
        v: 10,
        user: { id: discord.applicationId },
        guilds: [{ id: discord.guildId, unavailable: true }],
        resume_gateway_url: discord.gatewayUrl,
        session_id: expect.any(String),
      },
    });
    const guild = { id: discord.guildId, members: [{ user: { id: discord.applicationId } }], member_count: 5 };
    expect(await client.dispatch('GUILD_CREATE')).toMatchObject(guild);
  });

  it.each([9, 10])('uses version %i of the API, as REST does', async (version) => {
    const discord = await localDiscord();
    const client = await Client.greeted(discord, `?v=${version}`);
    client.identify({ token: discord.token, intents: guilds });
    expect(await client.dispatch('READY')).toMatchObject({ v: version });
    const response = await fetch(`${discord.apiUrl}/v${version}/users/@me`, {
      headers: { authorization: `Bot ${discord.token}` },
    });
    expect(await response.json()).toMatchObject({ id: discord.applicationId });
  });

  it('receives hello after the response to the upgrade, which some clients read alone', async () => {
    const discord = await localDiscord();
    const key = randomBytes(16).toString('base64');
    const headers = { connection: 'Upgrade', upgrade: 'websocket' };
    const request = get(`${discord.gatewayUrl.replace('ws', 'http')}?v=10`, {
      headers: { ...headers, 'sec-websocket-key': key, 'sec-websocket-version': '13' },
    });
    const [, socket, head] = await once(request, 'upgrade');
    onTestFinished(() => socket.destroy());
    expect(head).toHaveLength(0);
    const [frame] = await once(socket, 'data');
    expect(String(frame)).toContain('heartbeat_interval');
  });

  it.each([
    ['a wrong token', 4004, { op: 2, d: { token: 'x', intents: 1, properties: {} } }],
    ['an unknown intent', 4013, { intents: 1 << 30 }],
    ['a privileged intent that is not switched on', 4014, { intents: guildMembers }],
    ['a shard that cannot be', 4010, { shard: [2, 2] }],
    ['no token', 4002, { op: 2, d: { intents: 1, properties: {} } }],
    ['something else before it has identified', 4003, { op: 3, d: {} }],
    ['what is no JSON', 4002, 'nonsense'],
    ['too much at once', 4002, JSON.stringify({ op: 1, d: 'x'.repeat(4096) })],
  ])('that sends %s is closed with %i', async (_what, code, sent) => {
    const discord = await localDiscord();
    const client = await Client.greeted(discord);
    const identify = { op: 2, d: { token: discord.token, intents: 1, properties: {}, ...(sent as object) } };
    client.send(typeof sent === 'string' || 'op' in sent ? sent : identify);
    expect(await client.closed).toBe(code);
  });

  it('is closed with 4011 when it identifies with fewer shards than are recommended', async () => {
    const discord = await localDiscord();
    discord.faults.requireShards(2);
    expect((await rest(discord)('GET', '/gateway/bot')).json).toMatchObject({ shards: 2 });
    const alone = await Client.greeted(discord);
    alone.identify({ token: discord.token, intents: guilds });
    expect(await alone.closed).toBe(4011);
    const shard = await Client.greeted(discord);
    shard.identify({ token: discord.token, intents: guilds, shard: [0, 2] });
    await shard.dispatch('READY');
  });

  it('is closed after a second identify, an unknown opcode, too many payloads or a wrong version', async () => {
    const discord = await localDiscord();
    const twice = await Client.ready(discord);
    twice.identify({ token: discord.token, intents: guilds });
    expect(await twice.closed).toBe(4005);
    const unknown = await Client.ready(discord);
    unknown.send({ op: 99, d: null });
    expect(await unknown.closed).toBe(4001);
    const chatty = await Client.ready(discord);
    for (let index = 0; index < 121; index += 1) chatty.send({ op: 1, d: null });
    expect(await chatty.closed).toBe(4008);
    expect(await new Client(`${discord.gatewayUrl}?v=8&encoding=json`).closed).toBe(4012);
  });

  it('is closed without heartbeats', async () => {
    const stopwatch = manualClock();
    const discord = await localDiscord({ stopwatch, heartbeatInterval: 10 * second });
    const client = await Client.ready(discord);
    await stopwatch.advance(10 * second);
    client.send({ op: 1, d: null });
    await client.op(11);
    await stopwatch.advance(20 * second);
    expect(await client.closed).toBe(4009);
  });

  it('receives the events of its intents, and all members only with the privileged intent', async () => {
    const discord = await localDiscord({ grantedIntents: guildMembers });
    const curious = await Client.ready(discord, guilds | guildMembers | guildMessages);
    const modest = await Client.ready(discord, guilds);
    await sendMessage(discord, 'hello');
    expect(await curious.dispatch('MESSAGE_CREATE')).toMatchObject({ content: 'hello', guild_id: discord.guildId });
    expect(modest.unread.map(({ t }) => t)).toEqual(['GUILD_CREATE']);
    const { members } = (await curious.dispatch('GUILD_CREATE')) as { members: unknown[] };
    expect(members).toHaveLength(5);
  });

  it('receives the guild on its shard only', async () => {
    const discord = await localDiscord();
    const shards = await Promise.all(
      [0, 1].map(async (shard) => {
        const client = await Client.greeted(discord);
        client.identify({ token: discord.token, intents: guilds, shard: [shard, 2] });
        return (await client.dispatch('READY')) as { guilds: unknown[] };
      }),
    );
    expect(new Set(shards.map((ready) => ready.guilds.length))).toEqual(new Set([0, 1]));
  });
});

describe('a session', () => {
  async function interrupted(options: Parameters<typeof localDiscord>[0] = {}) {
    const discord = await localDiscord(options);
    const client = await Client.greeted(discord);
    client.identify({ token: discord.token, intents: guilds | guildMessages });
    const { session_id } = (await client.dispatch('READY')) as { session_id: string };
    const resume = async (seq: number) => {
      const next = await Client.greeted(discord);
      next.send({ op: 6, d: { token: discord.token, session_id, seq } });
      return next;
    };
    return { discord, client, resume };
  }

  it('is resumed with all missed events in order', async () => {
    const { discord, client, resume } = await interrupted();
    client.close(4900);
    await client.closed;
    await sendMessage(discord, 'one');
    await sendMessage(discord, 'two');
    const next = await resume(2);
    await next.dispatch('RESUMED');
    expect(next.unread.map(({ t, s, d }) => [t, s, (d as { content: string }).content])).toEqual([
      ['MESSAGE_CREATE', 3, 'one'],
      ['MESSAGE_CREATE', 4, 'two'],
    ]);
  });

  it('ends after a normal close; the client may identify again on the same connection', async () => {
    const { discord, client, resume } = await interrupted();
    client.close(1000);
    await client.closed;
    const next = await resume(2);
    expect(await next.op(9)).toMatchObject({ d: false });
    next.identify({ token: discord.token, intents: guilds });
    await next.dispatch('READY');
  });

  it('expires, and cannot be resumed from a future sequence number', async () => {
    const stopwatch = manualClock();
    const { client, resume } = await interrupted({ stopwatch, heartbeatInterval: 60 * minute });
    expect(await (await resume(99)).closed).toBe(4007);
    client.close(4900);
    await client.closed;
    await stopwatch.advance(3 * minute);
    expect(await (await resume(2)).op(9)).toMatchObject({ d: false });
  });

  it('responds to a request for members', async () => {
    const discord = await localDiscord();
    const client = await Client.ready(discord);
    const [member] = discord.members;
    client.send({ op: 8, d: { guild_id: discord.guildId, user_ids: [member?.id, '1'], nonce: 'n' } });
    expect(await client.dispatch('GUILD_MEMBERS_CHUNK')).toMatchObject({
      members: [{ user: { id: member?.id } }],
      not_found: ['1'],
      chunk_index: 0,
      chunk_count: 1,
      nonce: 'n',
    });
  });
});
