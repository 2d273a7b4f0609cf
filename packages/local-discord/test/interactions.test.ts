import { minute, second } from '@tallyhook/platform/durations';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it } from 'vitest';
import { localDiscord, rest } from '../testing/local.ts';
import { Client as Ws } from '../testing/raw-gateway.ts';

interface Sent {
  readonly id: string;
  readonly token: string;
  readonly type: number;
}

/** A Discord with one command, a passive bot, and a manual stopwatch. */
async function withInteraction() {
  const stopwatch = manualClock();
  const discord = await localDiscord({ stopwatch, rateLimits: false, heartbeatInterval: 60 * minute });
  const ask = rest(discord);
  const withoutToken = rest(discord, null);
  await ask('PUT', `/applications/${discord.applicationId}/commands`, [{ name: 'vote', description: 'Votes.' }]);
  const bot = await Ws.ready(discord);
  const [member] = discord.members;
  const userId = member?.id ?? '';
  const run = async () => {
    const handle = discord.runCommand({ name: 'vote', userId, channelId: discord.channels.general });
    const sent = (await bot.dispatch('INTERACTION_CREATE')) as Sent;
    const callback = (body: unknown, query = '') =>
      withoutToken('POST', `/interactions/${sent.id}/${sent.token}/callback${query}`, body);
    const hook = (method: string, path: string, body?: unknown) =>
      withoutToken(method, `/webhooks/${discord.applicationId}/${sent.token}${path}`, body);
    return { handle, sent, callback, hook };
  };
  return { discord, stopwatch, run, userId, bot };
}

const hello = { type: 4, data: { content: 'hello' } };
const modal = {
  custom_id: 'form',
  title: 'Form',
  components: [{ type: 1, components: [{ type: 4, custom_id: 'words', label: 'Words', style: 1 }] }],
};

describe('an interaction', () => {
  it('contains the user, command, channel, and the permissions of user and bot', async () => {
    const { discord, run, userId } = await withInteraction();
    const { sent } = await run();
    expect(sent).toMatchObject({
      application_id: discord.applicationId,
      type: 2,
      version: 1,
      guild_id: discord.guildId,
      channel_id: discord.channels.general,
      channel: { id: discord.channels.general, type: 0 },
      member: { user: { id: userId }, permissions: expect.stringMatching(/^\d+$/) },
      app_permissions: expect.stringMatching(/^\d+$/),
      data: { name: 'vote', type: 1, options: [] },
      context: 0,
      locale: 'en-US',
      entitlements: [],
      authorizing_integration_owners: { '0': discord.guildId },
    });
  });

  it('accepts one callback and rejects a second one', async () => {
    const { run } = await withInteraction();
    const { callback, handle } = await run();
    const first = await callback(hello);
    expect(first).toMatchObject({ status: 204, json: undefined });
    expect(first.headers.get('content-type')).toBe(null);
    expect(await callback(hello)).toMatchObject({ status: 400, json: { code: 40060 } });
    expect(handle.messages).toMatchObject([{ content: 'hello', type: 20, interaction: { name: 'vote' } }]);
  });

  it('returns the message on request', async () => {
    const { run } = await withInteraction();
    const { callback, sent } = await run();
    expect(await callback(hello, '?with_response=true')).toMatchObject({
      status: 200,
      json: {
        interaction: { id: sent.id, type: 2, response_message_loading: false, response_message_ephemeral: false },
        resource: { type: 4, message: { content: 'hello' } },
      },
    });
  });

  it.each([
    ['a modal', { type: 9, data: modal }],
    ['a deferral', { type: 5 }],
  ])('returns no resource for %s', async (_what, body) => {
    const { run } = await withInteraction();
    const { callback, sent } = await run();
    const { json } = await callback(body, '?with_response=true');
    expect(json).toEqual({ interaction: expect.objectContaining({ id: sent.id, type: 2 }) });
  });

  it('is unknown after 3 seconds', async () => {
    const { run, stopwatch } = await withInteraction();
    const inTime = await run();
    await stopwatch.advance(3 * second - 1);
    expect(await inTime.callback(hello)).toMatchObject({ status: 204 });
    expect((await inTime.handle.response).afterMs).toBe(2999);
    const late = await run();
    await stopwatch.advance(3 * second);
    expect(await late.callback(hello)).toMatchObject({
      status: 404,
      json: { code: 10062, message: 'Unknown interaction' },
    });
    await expect(late.handle.response).rejects.toThrow('The application did not respond');
  });

  it('accepts follow-ups for 15 minutes, but not before the callback', async () => {
    const { run, stopwatch } = await withInteraction();
    const { callback, hook } = await run();
    expect(await hook('PATCH', '/messages/@original', { content: 'early' })).toMatchObject({
      status: 404,
      json: { code: 10015 },
    });
    await callback(hello);
    await stopwatch.advance(15 * minute - 1);
    expect(await hook('PATCH', '/messages/@original', { content: 'edited' })).toMatchObject({ status: 200 });
    await stopwatch.advance(1);
    expect(await hook('PATCH', '/messages/@original', { content: 'late' })).toMatchObject({
      status: 401,
      json: { code: 50027 },
    });
  });

  it('shows "thinking" after a deferral, and keeps its ephemeral flag', async () => {
    const { run, discord, userId } = await withInteraction();
    const { callback, hook, handle } = await run();
    // "The only valid message flag you may use is EPHEMERAL."
    expect(await callback({ type: 5, data: { flags: 1 << 15 } })).toMatchObject({
      status: 400,
      json: { code: 50035, errors: { data: { flags: { _errors: [{ code: 'BASE_TYPE_CHOICES' }] } } } },
    });
    await callback({ type: 5, data: { flags: 64 } });
    expect(handle.messages).toMatchObject([{ content: '', flags: 64 | 128 }]);
    await hook('PATCH', '/messages/%40original', { content: 'thought' });
    expect(await handle.settled).toMatchObject({ content: 'thought', flags: 64 });
    expect(discord.messages(discord.channels.general)).toHaveLength(0);
    expect(discord.messages(discord.channels.general, userId)).toHaveLength(1);
    expect(await hook('GET', '/messages/@original')).toMatchObject({ status: 200, json: { content: 'thought' } });
    expect(await hook('DELETE', '/messages/@original')).toMatchObject({ status: 204 });
    expect(await hook('GET', '/messages/@original')).toMatchObject({ status: 404, json: { code: 10008 } });
  });

  it('replaces the deferred message by the first follow-up', async () => {
    const { run } = await withInteraction();
    const { callback, hook, handle } = await run();
    await callback({ type: 5 });
    await hook('POST', '', { content: 'one' });
    await hook('POST', '?wait=true', { content: 'two', flags: 64 });
    expect(handle.messages.map(({ content, flags }) => [content, flags])).toEqual([
      ['one', 0],
      ['two', 64],
    ]);
  });

  it('accepts only the callback types of its type, within the limits', async () => {
    const { run } = await withInteraction();
    const { callback } = await run();
    for (const type of [6, 7, 8]) {
      const data = type === 8 ? { choices: [] } : { content: 'x' };
      expect(await callback({ type, data })).toMatchObject({ status: 400, json: { code: 50035 } });
    }
    expect(await callback({ type: 4, data: { content: 'x'.repeat(2001) } })).toMatchObject({ json: { code: 50035 } });
    expect(await callback({ type: 4, data: {} })).toMatchObject({ json: { code: 50006 } });
  });

  it('opens a valid modal', async () => {
    const { run } = await withInteraction();
    const { callback, handle } = await run();
    const input = { type: 4, custom_id: 'words', style: 1 };
    const row = { type: 1, components: [{ ...input, label: 'Words' }] };
    const form = { custom_id: 'm', title: 'Tell', components: [row] };
    const refused = { status: 400, json: { code: 50035 } };
    expect(await callback({ type: 9, data: { ...form, title: 'x'.repeat(46) } })).toMatchObject(refused);
    expect(await callback({ type: 9, data: { ...form, components: [row, row] } })).toMatchObject(refused);
    expect(await callback({ type: 9, data: { ...form, components: [{ type: 18 }] } })).toMatchObject(refused);
    expect(await callback({ type: 9, data: { ...form, components: [] } })).toMatchObject(refused);
    const label = { type: 18, label: 'Stars', component: { ...input, custom_id: 'stars' } };
    expect(await callback({ type: 9, data: { ...form, components: [row, label] } })).toMatchObject({ status: 204 });
    expect(await handle.response).toMatchObject({ type: 9, data: { custom_id: 'm' } });
  });

  it('from a button can leave, edit or follow its message', async () => {
    const { run, discord, bot, userId } = await withInteraction();
    const { callback, handle } = await run();
    const button = { type: 2, style: 1, label: 'Press', custom_id: 'press' };
    const gone = { type: 2, style: 2, label: 'Gone', custom_id: 'gone', disabled: true };
    await callback({ type: 4, data: { content: 'Press it', components: [{ type: 1, components: [button, gone] }] } });
    const { id } = await handle.settled;
    expect(() => discord.clickButton(id, 'gone', userId)).toThrow('disabled');
    const click = discord.clickButton(id, 'press', userId);
    const sent = (await bot.dispatch('INTERACTION_CREATE')) as Sent;
    expect(sent).toMatchObject({ type: 3, message: { id }, data: { custom_id: 'press', component_type: 2 } });
    const path = `/interactions/${sent.id}/${sent.token}/callback`;
    expect(await rest(discord, null)('POST', path, { type: 6 })).toMatchObject({ status: 204 });
    expect((await click.response).type).toBe(6);
    const edit = `/webhooks/${discord.applicationId}/${sent.token}/messages/@original`;
    await rest(discord, null)('PATCH', edit, { content: 'Pressed', components: [] });
    expect(await click.settled).toMatchObject({ id, content: 'Pressed', components: [] });
  });
});

describe('follow-up messages', () => {
  it('are at most five per interaction where only the member has the app', async () => {
    const discord = await localDiscord({ rateLimits: false });
    const command = { name: 'vote', description: 'Votes.', integration_types: [0, 1], contexts: [0, 1, 2] };
    await rest(discord)('PUT', `/applications/${discord.applicationId}/commands`, [command]);
    const bot = await Ws.ready(discord);
    const withoutToken = rest(discord, null);
    const sendFollowUps = async (channelId: string) => {
      discord.runCommand({ name: 'vote', userId: discord.members[0]?.id ?? '', channelId });
      const { id, token } = (await bot.dispatch('INTERACTION_CREATE')) as Sent;
      const body = { content: 'Voted.' };
      await withoutToken('POST', `/interactions/${id}/${token}/callback`, { type: 4, data: body });
      const codes = [];
      for (let count = 0; count < 6; count += 1)
        codes.push((await withoutToken('POST', `/webhooks/${discord.applicationId}/${token}`, body)).json?.['code']);
      return codes;
    };
    expect(await sendFollowUps(discord.channels.otherGuild)).toEqual([...Array(5).fill(undefined), 40094]);
    expect(await sendFollowUps(discord.channels.general)).toEqual(Array(6).fill(undefined));
  });
});
