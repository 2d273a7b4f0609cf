import { minute } from '@tallyhook/platform/durations';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it } from 'vitest';
import { faultAt, withApi } from '../testing/api.ts';

describe('a message', () => {
  it('is returned completely, with an id and a timestamp of the clock', async () => {
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
    // Since 2015-01-01. Discord: "Snowflakes".
    expect(Number(BigInt(id) >> 22n) + 1_420_070_400_000).toBe(clock.now());
  });

  it('without content is rejected', async () => {
    const { send } = await withApi();
    expect(await send({ content: '   ' })).toMatchObject({ status: 400, json: { code: 50006 } });
    expect(await send({})).toMatchObject({ status: 400, json: { code: 50006 } });
  });

  it('pings allowed mentions, and nobody from an embed', async () => {
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

  it('with an enforced nonce is created once within some minutes', async () => {
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

  it('can be read, edited and deleted, and is unknown afterwards', async () => {
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

  it('is listed in pages, newest first', async () => {
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
  ])('is not listed for a query such as %s', async (query, field, code) => {
    const { ask, announcements } = await withApi();
    const { status, json } = await ask('GET', `/channels/${announcements}/messages?${query}`);
    expect(status).toBe(400);
    expect(faultAt(json, field)).toBe(code);
  });

  it('includes its nonce at creation, but not in later reads', async () => {
    const { ask, send, announcements } = await withApi();
    const { id, json } = await send({ content: 'new', nonce: 'n' });
    expect(json['nonce']).toBe('n');
    const path = `/channels/${announcements}/messages`;
    expect((await ask('GET', `${path}/${id}`)).json).not.toHaveProperty('nonce');
    expect((await ask('GET', path)).json[0]).not.toHaveProperty('nonce');
    expect((await ask('PATCH', `${path}/${id}`, { content: 'old' })).json).not.toHaveProperty('nonce');
  });

  it('is hidden from a bot without the permission to read the history', async () => {
    const { discord, ask, send, announcements } = await withApi();
    const { id } = await send({ content: 'past' });
    discord.faults.losePermission(announcements, 'readMessageHistory');
    expect(await ask('GET', `/channels/${announcements}/messages`)).toMatchObject({ status: 200, json: [] });
    const one = await ask('GET', `/channels/${announcements}/messages/${id}`);
    expect(one).toMatchObject({ status: 403, json: { code: 50013 } });
  });
});
