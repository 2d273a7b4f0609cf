import { describe, expect, it } from 'vitest';
import { minute, second } from '../../src/clock.ts';
import { momentOf } from '../../src/sandbox/discord/snowflake.ts';
import { manualClock } from '../support/manual-clock.ts';
import { type Json, localDiscord, rest } from './local.ts';

/** The first fault at a path of an "Invalid Form Body". */
function faultAt(json: Json, ...path: (string | number)[]): unknown {
  const field = path.reduce<Json | undefined>((node, step) => node?.[step], json['errors']);
  return field?.['_errors']?.[0]?.['code'];
}

async function withApi(options: Parameters<typeof localDiscord>[0] = {}) {
  const discord = await localDiscord({ rateLimits: false, ...options });
  const ask = rest(discord);
  const { announcements } = discord.channels;
  return {
    discord,
    ask,
    announcements,
    send: (body: unknown) => ask('POST', `/channels/${announcements}/messages`, body),
  };
}

describe('the REST API', () => {
  it('refuses a wrong token, an unknown path and a wrong method as Discord does', async () => {
    const { discord, ask } = await withApi();
    const refused = { status: 401, json: { message: '401: Unauthorized', code: 0 } };
    expect(await rest(discord, 'Bot nonsense')('GET', '/users/@me')).toMatchObject(refused);
    expect(await rest(discord, discord.token)('GET', '/users/@me')).toMatchObject(refused);
    expect(await rest(discord, null)('GET', '/users/@me')).toMatchObject(refused);
    expect(await ask('GET', '/nowhere')).toMatchObject({ status: 404, json: { message: '404: Not Found', code: 0 } });
    expect(await ask('PATCH', '/users/@me')).toMatchObject({ status: 405 });
  });

  it('refuses an id that is none, and a path that cannot be read', async () => {
    const { ask, announcements } = await withApi();
    const { status, json } = await ask('GET', '/channels/general/messages/1');
    expect(status).toBe(400);
    expect(faultAt(json, 'channel_id')).toBe('NUMBER_TYPE_COERCE');
    expect(faultAt((await ask('GET', `/channels/${announcements}/messages/last`)).json, 'message_id')).toBeDefined();
    expect(await ask('GET', '/channels/%zz')).toMatchObject({ status: 400 });
  });

  it('says who the bot is and where the gateway is', async () => {
    const { discord, ask } = await withApi();
    expect(await ask('GET', '/users/@me')).toMatchObject({
      status: 200,
      json: { id: discord.applicationId, bot: true },
    });
    for (const path of ['/applications/@me', '/oauth2/applications/@me']) {
      expect(await ask('GET', path)).toMatchObject({ status: 200, json: { id: discord.applicationId } });
    }
    const gateway = { url: discord.gatewayUrl, shards: 1, session_start_limit: { max_concurrency: 1 } };
    expect(await ask('GET', '/gateway/bot')).toMatchObject({ status: 200, json: gateway });
  });

  it('refuses a body that is no JSON, or not said to be', async () => {
    const { discord, announcements } = await withApi();
    const url = `${discord.apiUrl}/v10/channels/${announcements}/messages`;
    const post = async (type: string, body: string) => {
      const headers = { authorization: `Bot ${discord.token}`, 'content-type': type };
      const response = await fetch(url, { method: 'POST', headers, body });
      return ((await response.json()) as { code: number }).code;
    };
    expect(await post('application/json', '{')).toBe(50109);
    expect(await post('text/plain', '{"content":"hello"}')).toBe(50035);
  });

  it('keeps the bot token and the tokens of interactions out of its record of requests', async () => {
    const { discord, ask } = await withApi();
    await ask('POST', '/interactions/123/very-secret/callback', { type: 4, data: { content: 'x' } });
    const record = JSON.stringify(discord.requests);
    expect(discord.requests[0]).toMatchObject({ path: '/interactions/123/{token}/callback', status: 404 });
    expect(record).not.toContain('very-secret');
    expect(record).not.toContain(discord.token);
  });
});

describe('a message', () => {
  it('comes back whole, with an id and a timestamp of the clock', async () => {
    const clock = manualClock();
    const { discord, send, announcements } = await withApi({ clock });
    const { status, json, id } = await send({
      content: ' hello ',
      embeds: [{ title: 'T', color: 1 }],
      nonce: 7,
      flags: 4096,
    });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      channel_id: announcements,
      content: 'hello',
      author: { id: discord.applicationId, bot: true },
      embeds: [{ type: 'rich', title: 'T', color: 1 }],
      timestamp: '2026-01-01T00:00:00.000000+00:00',
      edited_timestamp: null,
      flags: 4096,
      nonce: 7,
    });
    expect(momentOf(id)).toBe(clock.now());
  });

  const long = (length: number) => 'x'.repeat(length);
  const field = { name: 'n', value: 'v' };
  const button = { type: 2, style: 1, label: 'Press', custom_id: 'a' };
  const row = (...components: object[]) => [{ type: 1, components }];

  it.each([
    ['2,001 characters', { content: long(2001) }, ['content'], 'BASE_TYPE_MAX_LENGTH'],
    ['a content that is a number', { content: 5 }, ['content'], 'STRING_TYPE_CONVERT'],
    ['11 embeds', { embeds: Array.from({ length: 11 }, () => ({ title: 'x' })) }, ['embeds'], 'BASE_TYPE_MAX_LENGTH'],
    ['an empty embed', { embeds: [{}] }, ['embeds', 0, 'description'], 'BASE_TYPE_REQUIRED'],
    ['a long title', { embeds: [{ title: long(257) }] }, ['embeds', 0, 'title'], 'BASE_TYPE_MAX_LENGTH'],
    [
      'a long description',
      { embeds: [{ description: long(4097) }] },
      ['embeds', 0, 'description'],
      'BASE_TYPE_MAX_LENGTH',
    ],
    [
      'a long footer',
      { embeds: [{ footer: { text: long(2049) } }] },
      ['embeds', 0, 'footer', 'text'],
      'BASE_TYPE_MAX_LENGTH',
    ],
    [
      '26 fields',
      { embeds: [{ fields: Array.from({ length: 26 }, () => field) }] },
      ['embeds', 0, 'fields'],
      'BASE_TYPE_MAX_LENGTH',
    ],
    [
      'a field without a value',
      { embeds: [{ fields: [{ name: 'n', value: '' }] }] },
      ['embeds', 0, 'fields', 0, 'value'],
      'BASE_TYPE_REQUIRED',
    ],
    [
      'a long field',
      { embeds: [{ fields: [{ name: 'n', value: long(1025) }] }] },
      ['embeds', 0, 'fields', 0, 'value'],
      'BASE_TYPE_MAX_LENGTH',
    ],
    [
      'more than 6,000 characters in embeds',
      { embeds: [{ description: long(4000) }, { description: long(2001) }] },
      ['embeds'],
      'MAX_EMBED_SIZE_EXCEEDED',
    ],
    [
      'a link that is none',
      { embeds: [{ title: 'x', url: 'nonsense' }] },
      ['embeds', 0, 'url'],
      'URL_TYPE_INVALID_URL',
    ],
    [
      'a link that runs',
      { embeds: [{ title: 'x', url: 'javascript:alert(1)' }] },
      ['embeds', 0, 'url'],
      'URL_TYPE_INVALID_SCHEME',
    ],
    ['a color beyond white', { embeds: [{ title: 'x', color: 0x1000000 }] }, ['embeds', 0, 'color'], 'NUMBER_TYPE_MAX'],
    [
      '6 rows',
      {
        content: 'x',
        components: Array.from({ length: 6 }, (_, index) => row({ ...button, custom_id: `${index}` })[0]),
      },
      ['components'],
      'BASE_TYPE_MAX_LENGTH',
    ],
    [
      '6 buttons in a row',
      {
        content: 'x',
        components: row(...Array.from({ length: 6 }, (_, index) => ({ ...button, custom_id: `${index}` }))),
      },
      ['components', 0, 'components'],
      'BASE_TYPE_MAX_LENGTH',
    ],
    [
      'a label of 81',
      { content: 'x', components: row({ ...button, label: long(81) }) },
      ['components', 0, 'components', 0, 'label'],
      'BASE_TYPE_MAX_LENGTH',
    ],
    [
      'a custom id of 101',
      { content: 'x', components: row({ ...button, custom_id: long(101) }) },
      ['components', 0, 'components', 0, 'custom_id'],
      'BASE_TYPE_MAX_LENGTH',
    ],
    [
      'a custom id used twice',
      { content: 'x', components: row(button, button) },
      ['components', 0, 'components', 1, 'custom_id'],
      'COMPONENT_CUSTOM_ID_DUPLICATED',
    ],
    [
      'a link button without a link',
      { content: 'x', components: row({ type: 2, style: 5, label: 'x' }) },
      ['components', 0, 'components', 0, 'url'],
      'BASE_TYPE_REQUIRED',
    ],
    ['a nonce of 26', { content: 'x', nonce: long(26) }, ['nonce'], 'BASE_TYPE_MAX_LENGTH'],
    [
      'mentions both parsed and listed',
      { content: 'x', allowed_mentions: { parse: ['users'], users: ['1'] } },
      ['allowed_mentions'],
      'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE',
    ],
    [
      'the same choice twice',
      {
        components: row({
          type: 3,
          custom_id: 'a',
          options: [
            { label: 'one', value: '1' },
            { label: 'two', value: '1' },
          ],
        }),
      },
      ['components', 0, 'components', 0, 'options', 1, 'value'],
      'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED',
    ],
    [
      '11 files',
      { attachments: Array.from({ length: 11 }, (_, id) => ({ id })) },
      ['attachments'],
      'BASE_TYPE_MAX_LENGTH',
    ],
  ])('with %s is refused', async (_what, body, path, code) => {
    const { send, discord, announcements } = await withApi();
    const { status, json } = await send(body);
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: 50035, message: 'Invalid Form Body' });
    expect(faultAt(json, ...path)).toBe(code);
    expect(discord.messages(announcements)).toHaveLength(0);
  });

  it('at the very limits is taken', async () => {
    const { send } = await withApi();
    const fields = Array.from({ length: 25 }, () => ({ name: 'n', value: 'v' }));
    const embeds = [{ title: long(256), description: long(4096), footer: { text: long(1000) }, fields }];
    const rows = Array.from({ length: 5 }, (_, index) =>
      Array.from({ length: 5 }, (_, column) => ({
        ...button,
        label: long(80),
        custom_id: `${index}${column}${long(98)}`,
      })),
    ).flatMap((each) => row(...each));
    const { status } = await send({ content: long(2000), embeds, components: rows, nonce: long(25) });
    expect(status).toBe(200);
  });

  it('that shows nothing is refused', async () => {
    const { send } = await withApi();
    expect(await send({ content: '   ' })).toMatchObject({ status: 400, json: { code: 50006 } });
    expect(await send({})).toMatchObject({ status: 400, json: { code: 50006 } });
  });

  it('pings those whom it names and may ping, and nobody from within an embed', async () => {
    const { discord, send } = await withApi();
    const [one, two] = discord.members.map(({ id }) => id);
    const content = `<@${one}> <@${two}> @everyone`;
    const pings = async (allowed?: object) => {
      const { json } = await send({
        content,
        embeds: [{ description: `<@${one}>` }],
        ...(allowed && { allowed_mentions: allowed }),
      });
      const named = (json['mentions'] as unknown as { id: string }[]).map(({ id }) => id);
      return { named, everyone: json['mention_everyone'] };
    };
    expect(await pings()).toEqual({ named: [one, two], everyone: true });
    expect(await pings({ parse: [] })).toEqual({ named: [], everyone: false });
    expect(await pings({ users: [two] })).toEqual({ named: [two], everyone: false });
  });

  it('with an enforced nonce is sent once within some minutes', async () => {
    const clock = manualClock();
    const { discord, send, announcements } = await withApi({ stopwatch: clock });
    const message = { content: 'once', nonce: 'n', enforce_nonce: true };
    const first = await send(message);
    await clock.advance(2 * minute);
    const repeat = await send({ ...message, content: 'changed' });
    expect(repeat.json).toEqual(first.json);
    expect(discord.messages(announcements)).toHaveLength(1);
    await send({ content: 'not enforced', nonce: 'n' });
    expect(discord.messages(announcements)).toHaveLength(2);
    await clock.advance(10 * minute);
    await send(message);
    expect(discord.messages(announcements)).toHaveLength(3);
  });

  it('can be read, changed and deleted, and then is unknown', async () => {
    const { ask, send, announcements } = await withApi();
    const { id } = await send({ content: 'first', embeds: [{ title: 'stays' }] });
    const path = `/channels/${announcements}/messages/${id}`;
    expect(await ask('PATCH', path, { content: null })).toMatchObject({
      status: 200,
      json: { content: '', embeds: [{ title: 'stays' }], edited_timestamp: expect.any(String) },
    });
    expect(await ask('PATCH', path, { embeds: [] })).toMatchObject({ status: 400, json: { code: 50006 } });
    expect(await ask('GET', path)).toMatchObject({ status: 200, json: { content: '' } });
    expect(await ask('DELETE', path)).toMatchObject({ status: 204 });
    expect(await ask('GET', path)).toMatchObject({ status: 404, json: { code: 10008 } });
  });

  it('is listed with the newest first, page by page', async () => {
    const { ask, send, announcements } = await withApi();
    for (const content of ['1', '2', '3', '4']) await send({ content });
    const list = async (query: string) => {
      const { json } = await ask('GET', `/channels/${announcements}/messages${query}`);
      return json as unknown as { id: string; content: string }[];
    };
    const newest = await list('?limit=2');
    expect(newest.map(({ content }) => content)).toEqual(['4', '3']);
    expect((await list(`?before=${newest[1]?.id}`)).map(({ content }) => content)).toEqual(['2', '1']);
    expect((await list(`?after=${newest[1]?.id}`)).map(({ content }) => content)).toEqual(['4']);
    expect((await list(`?around=${newest[1]?.id}&limit=2`)).map(({ content }) => content)).toEqual(['3', '2']);
  });

  it.each([
    ['limit=101', 'limit', 'NUMBER_TYPE_MAX'],
    ['limit=0', 'limit', 'NUMBER_TYPE_MIN'],
    ['limit=many', 'limit', 'NUMBER_TYPE_COERCE'],
    ['before=yesterday', 'before', 'NUMBER_TYPE_COERCE'],
  ])('is not listed by a query such as %s', async (query, field, code) => {
    const { ask, announcements } = await withApi();
    const { status, json } = await ask('GET', `/channels/${announcements}/messages?${query}`);
    expect(status).toBe(400);
    expect(faultAt(json, field)).toBe(code);
  });

  it('tells its nonce when it is new, and not when it is read again', async () => {
    const { ask, send, announcements } = await withApi();
    const { id, json } = await send({ content: 'new', nonce: 'n' });
    expect(json['nonce']).toBe('n');
    const path = `/channels/${announcements}/messages`;
    expect((await ask('GET', `${path}/${id}`)).json).not.toHaveProperty('nonce');
    expect((await ask('GET', path)).json[0]).not.toHaveProperty('nonce');
    expect((await ask('PATCH', `${path}/${id}`, { content: 'old' })).json).not.toHaveProperty('nonce');
  });

  it('of the past is hidden from a bot that may not read the history', async () => {
    const { discord, ask, send, announcements } = await withApi();
    const { id } = await send({ content: 'past' });
    discord.faults.losePermission(announcements, 'readMessageHistory');
    expect(await ask('GET', `/channels/${announcements}/messages`)).toMatchObject({ status: 200, json: [] });
    const one = await ask('GET', `/channels/${announcements}/messages/${id}`);
    expect(one).toMatchObject({ status: 403, json: { code: 50013 } });
  });
});

describe('permissions', () => {
  it('decide what the bot may do in a channel', async () => {
    const { discord, ask, send, announcements } = await withApi();
    const message = { content: 'x', embeds: [{ title: 'x' }] };
    discord.faults.losePermission(announcements, 'embedLinks');
    expect(await send(message)).toMatchObject({ status: 403, json: { code: 50013, message: 'Missing Permissions' } });
    expect(await send({ content: 'x' })).toMatchObject({ status: 200 });
    discord.faults.losePermission(announcements);
    expect(await send({ content: 'x' })).toMatchObject({ status: 403, json: { code: 50013 } });
    discord.faults.losePermission(announcements, 'viewChannel');
    expect(await send({ content: 'x' })).toMatchObject({
      status: 403,
      json: { code: 50001, message: 'Missing Access' },
    });
    discord.faults.regainPermission(announcements, 'viewChannel');
    discord.faults.regainPermission(announcements);
    discord.faults.regainPermission(announcements, 'embedLinks');
    expect(await send(message)).toMatchObject({ status: 200 });
    discord.faults.deleteChannel(announcements);
    expect(await send(message)).toMatchObject({ status: 404, json: { code: 10003, message: 'Unknown Channel' } });
    expect(await ask('GET', `/channels/${announcements}`)).toMatchObject({ status: 404 });
  });

  it('let it send files, and not without AttachFiles', async () => {
    const { discord, announcements } = await withApi();
    const upload = async () => {
      const form = new FormData();
      form.set('payload_json', JSON.stringify({ content: 'x', attachments: [{ id: '0', description: 'A note' }] }));
      form.set('files[0]', new Blob(['hello'], { type: 'text/plain' }), 'my note.txt');
      const headers = { authorization: `Bot ${discord.token}` };
      const url = `${discord.apiUrl}/v10/channels/${announcements}/messages`;
      const response = await fetch(url, { method: 'POST', headers, body: form });
      return { status: response.status, json: await response.json() };
    };
    const attachment = { filename: 'my_note.txt', description: 'A note', size: 5, content_type: 'text/plain' };
    expect(await upload()).toMatchObject({ status: 200, json: { attachments: [attachment] } });
    discord.faults.losePermission(announcements, 'attachFiles');
    expect(await upload()).toMatchObject({ status: 403, json: { code: 50013 } });
  });

  it('let it give the roles below its own, and no others', async () => {
    const { discord, ask } = await withApi();
    const member = discord.members[1]?.id ?? '';
    const path = `/guilds/${discord.guildId}/members/${member}/roles`;
    expect(await ask('PUT', `${path}/${discord.roles.voter}`)).toMatchObject({ status: 204 });
    expect(discord.rolesOf(member)).toEqual([discord.roles.voter]);
    expect(await ask('DELETE', `${path}/${discord.roles.voter}`)).toMatchObject({ status: 204 });
    expect(discord.rolesOf(member)).toEqual([]);
    const { json } = await ask('GET', `/guilds/${discord.guildId}/roles`);
    const owner = (json as unknown as { id: string; name: string }[]).find(({ name }) => name === 'Owner');
    expect(await ask('PUT', `${path}/${owner?.id}`)).toMatchObject({ status: 403, json: { code: 50013 } });
    expect(await ask('PUT', `${path}/1`)).toMatchObject({ status: 404, json: { code: 10011 } });
  });
});

describe('direct messages', () => {
  it('reach a member, unless the member does not want them', async () => {
    const { discord, ask } = await withApi();
    const member = discord.members[0]?.id ?? '';
    const opened = await ask('POST', '/users/@me/channels', { recipient_id: member });
    const again = await ask('POST', '/users/@me/channels', { recipient_id: member });
    expect(opened).toMatchObject({ status: 200, json: { type: 1, recipients: [{ id: member }] } });
    expect(again.id).toBe(opened.id);
    const send = () => ask('POST', `/channels/${opened.id}/messages`, { content: 'psst' });
    expect(await send()).toMatchObject({ status: 200 });
    expect(discord.directMessages(member).map(({ content }) => content)).toEqual(['psst']);
    discord.faults.closeDirectMessages(member);
    expect(await send()).toMatchObject({ status: 403, json: { code: 50007 } });
    expect(await ask('POST', '/users/@me/channels', { recipient_id: '1' })).toMatchObject({ json: { code: 50033 } });
  });
});

describe('rate limits', () => {
  it('are told with every message, and refuse what is too much until they are reset', async () => {
    const stopwatch = manualClock();
    const { send, ask, discord } = await withApi({ rateLimits: true, stopwatch });
    const answers = [];
    for (let index = 0; index < 6; index += 1) answers.push(await send({ content: 'x' }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
    expect(answers[0]?.headers.get('x-ratelimit-limit')).toBe('5');
    expect(answers.map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual(['4', '3', '2', '1', '0', '0']);
    expect(answers[5]?.headers.get('retry-after')).toBe('5');
    expect(answers[5]?.headers.get('x-ratelimit-scope')).toBe('user');
    expect(answers[5]?.json).toEqual({ message: 'You are being rate limited.', retry_after: 5, global: false });
    expect(await ask('POST', `/channels/${discord.channels.general}/messages`, { content: 'x' })).toMatchObject({
      status: 200,
    });
    await stopwatch.advance(5 * second);
    expect((await send({ content: 'x' })).status).toBe(200);
  });

  it('allow the bot 50 requests a second in all', async () => {
    const stopwatch = manualClock();
    const { ask } = await withApi({ rateLimits: true, stopwatch });
    const answers = await Promise.all(Array.from({ length: 51 }, () => ask('GET', '/users/@me')));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(1);
    expect(refused[0]?.headers.get('x-ratelimit-global')).toBe('true');
    expect(refused[0]?.json).toMatchObject({ global: true });
    await stopwatch.advance(second);
    expect((await ask('GET', '/users/@me')).status).toBe(200);
  });
});

describe('faults', () => {
  it('happen as often as they were ordered, to those requests that they are meant for', async () => {
    const { discord, ask, send } = await withApi();
    discord.faults.respond500(1, /messages/);
    discord.faults.respond429(1, 0.5, /messages/);
    expect((await ask('GET', '/users/@me')).status).toBe(200);
    expect((await send({ content: 'x' })).status).toBe(500);
    const limited = await send({ content: 'x' });
    expect(limited).toMatchObject({ status: 429, json: { retry_after: 0.5 } });
    expect(limited.headers.get('retry-after')).toBe('0.5');
    expect((await send({ content: 'x' })).status).toBe(200);
  });

  it('hold every answer back for as long as is said', async () => {
    const waits: number[] = [];
    const sleep = (ms: number) => Promise.resolve(void waits.push(ms));
    const { discord, ask } = await withApi({ stopwatch: { ...manualClock(), sleep } });
    discord.faults.slow(10 * second);
    expect((await ask('GET', '/users/@me')).status).toBe(200);
    discord.faults.slow(0);
    expect((await ask('GET', '/users/@me')).status).toBe(200);
    expect(waits).toEqual([10 * second]);
  });

  it('end when they are cleared, and an outage by itself after its time', async () => {
    const stopwatch = manualClock();
    const { discord, ask } = await withApi({ stopwatch });
    discord.faults.outage(10 * second);
    await expect(ask('GET', '/users/@me')).rejects.toThrow();
    await stopwatch.advance(10 * second);
    expect((await ask('GET', '/users/@me')).status).toBe(200);
    discord.faults.outage(true);
    discord.faults.respond500(5);
    discord.faults.clear();
    expect((await ask('GET', '/users/@me')).status).toBe(200);
  });
});
