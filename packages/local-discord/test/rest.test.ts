import { describe, expect, it } from 'vitest';
import { faultAt, withApi } from '../testing/api.ts';
import { rest } from '../testing/local.ts';

describe('the REST API', () => {
  it('rejects a wrong token, an unknown path and a wrong method like Discord', async () => {
    const { discord, ask } = await withApi();
    const refused = { status: 401, json: { message: '401: Unauthorized', code: 0 } };
    expect(await rest(discord, 'Bot nonsense')('GET', '/users/@me')).toMatchObject(refused);
    expect(await rest(discord, discord.token)('GET', '/users/@me')).toMatchObject(refused);
    expect(await rest(discord, null)('GET', '/users/@me')).toMatchObject(refused);
    expect(await ask('GET', '/nowhere')).toMatchObject({ status: 404, json: { message: '404: Not Found', code: 0 } });
    expect(await ask('PATCH', '/users/@me')).toMatchObject({ status: 405 });
  });

  it('rejects an invalid id and a malformed path', async () => {
    const { ask, announcements } = await withApi();
    const { status, json } = await ask('GET', '/channels/general/messages/1');
    expect(status).toBe(400);
    expect(faultAt(json, 'channel_id')).toBe('NUMBER_TYPE_COERCE');
    expect(faultAt((await ask('GET', `/channels/${announcements}/messages/last`)).json, 'message_id')).toBeDefined();
    expect(await ask('GET', '/channels/%zz')).toMatchObject({ status: 400 });
  });

  it('returns the bot and the gateway URL', async () => {
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

  it('rejects a body that is not JSON, or has another content type', async () => {
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

  it('removes the tokens of the bot and of interactions from recorded requests', async () => {
    const { discord, ask } = await withApi();
    await ask('POST', '/interactions/123/very-secret/callback', { type: 4, data: { content: 'x' } });
    const record = JSON.stringify(discord.requests);
    expect(discord.requests[0]).toMatchObject({ path: '/interactions/123/{token}/callback', status: 404 });
    expect(record).not.toContain('very-secret');
    expect(record).not.toContain(discord.token);
  });
});

describe('permissions', () => {
  it('apply to the bot in a channel', async () => {
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

  it('require AttachFiles for files', async () => {
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

  it('allow only roles below its own', async () => {
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
  it('reach a member unless the member rejects them', async () => {
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
