import { localDiscord } from 'local-discord/testing/local-discord';
import { expect, test } from 'vitest';
import { seededInviteCode } from '../src/seed/community.ts';
import { ask, botId, mira, ownerId, type Running, running, serverId } from '../testing/running.ts';
import { visit } from '../testing/visit.ts';

const dashboardPath = `/dashboard/${serverId}`;
const edits = { name: 'Lantern Harbour', description: '', tags: '', rules: '' };

/** A service beside a Discord that knows the invite of the seeded server. */
async function withDiscord() {
  const discord = await localDiscord({
    guild: { id: serverId, name: 'Lantern Harbour', inviteCode: seededInviteCode },
  });
  const all = await running({ discord: { clientId: '1', clientSecret: 'secret', apiUrl: discord.apiUrl } });
  return { ...all, discord };
}

async function joinLinks({ service }: Pick<Running, 'service'>, path = '/'): Promise<(string | undefined)[]> {
  const { text } = await ask(service.url + path);
  return [...text.matchAll(/<a class="button" href="([^"]+)" rel="nofollow noopener"/g)].map(([, href]) => href);
}

test('an owner saves an invite after Discord has confirmed it, and cards and the page lead to it', async () => {
  const all = await withDiscord();
  const owner = await visit(all, ownerId);
  const save = (invite: string, path = dashboardPath) => owner.send(`${path}/invite`, { invite });
  const link = `${all.discord.origin}/invite/${seededInviteCode}`;
  expect((await save('')).status).toBe(303);
  expect(await joinLinks(all, `/servers/${serverId}`)).toEqual([]);
  expect((await save(`discord.gg/${seededInviteCode}`)).headers.get('location')).toContain('notice=saved');
  expect(await joinLinks(all)).toContain(link);
  expect(await joinLinks(all, `/servers/${serverId}`)).toEqual([link]);
  expect((await fetch(link)).status).toBe(200);

  const unknown = await save('discord.gg/unknown');
  expect([unknown.status, unknown.text.includes('Create one that never expires')]).toEqual([400, true]);
  expect((await save('https://evil.example/invite/a-server')).status).toBe(400);
  all.discord.faults.outage(true);
  const unavailable = await save(`https://discord.gg/${seededInviteCode}`);
  expect([unavailable.status, unavailable.text.includes('not checked and not saved')]).toEqual([503, true]);
  all.discord.faults.outage(false);
  expect(await joinLinks(all, `/servers/${serverId}`)).toEqual([link]);
});

test('a bot is added by its id, or by the address that its owner gives', async () => {
  const all = await running();
  const owner = await visit(all, ownerId);
  const save = (invite: string) => owner.send(`/dashboard/${botId}/invite`, { invite });
  const add = `https://discord.com/oauth2/authorize?client_id=${botId}`;
  const page = `/bots/${botId}`;
  expect(await joinLinks(all, page)).toEqual([`${add}&#38;scope=bot+applications.commands`]);
  expect((await save(`${add}&permissions=8&scope=bot&redirect_uri=https://evil.example`)).status).toBe(303);
  expect(await joinLinks(all, page)).toEqual([`${add}&#38;scope=bot&#38;permissions=8`]);
  expect((await save(`https://discord.com/oauth2/authorize?client_id=${serverId}`)).status).toBe(400);
  expect((await save('javascript:alert(1)')).status).toBe(400);
  expect(await joinLinks(all, page)).toEqual([`${add}&#38;scope=bot&#38;permissions=8`]);
});

test('only the owner changes the invite, with the CSRF token of the session', async () => {
  const all = await running();
  const [owner, other] = [await visit(all, ownerId), await visit(all, mira.userId)];
  expect((await other.send(`${dashboardPath}/invite`, { invite: '' })).status).toBe(404);
  expect((await owner.send(`${dashboardPath}/invite`, { invite: '', token: other.token })).status).toBe(403);
  expect((await joinLinks(all, `/servers/${serverId}`)).length).toBe(1);
});

test('an owner chooses up to three categories, and the lookup API returns one of them', async () => {
  const all = await running();
  const owner = await visit(all, ownerId);
  const choose = async (...categories: string[]) => {
    const body = new URLSearchParams({ ...edits, token: owner.token });
    for (const category of categories) body.append('categories', category);
    return ask(all.service.url + dashboardPath, { method: 'POST', headers: { cookie: owner.cookie }, body });
  };
  const returned = async () => {
    const { json } = await all.get('/server', { 'X-API-Key': all.keys.server });
    return (json['data'] as Record<string, unknown>)['category'];
  };
  const isListed = async (category: string) =>
    (await ask(`${all.service.url}/?category=${category}`)).text.includes('Lantern Harbour');
  expect(await returned()).toBe('Community');
  expect((await choose('Gaming', 'Community', 'Art')).status).toBe(303);
  expect([await returned(), await isListed('Gaming'), await isListed('Music')]).toEqual(['Community', true, false]);
  expect((await choose('Music')).status).toBe(303);
  expect(await returned()).toBe('Music');
  expect((await choose()).status).toBe(303);
  expect([await returned(), await isListed('Music')]).toEqual(['Music', false]);
  expect((await choose('Music', 'Art', 'Anime', 'Gaming')).text).toContain('there are more than 3');
  expect((await choose('<b>')).status).toBe(303);
  expect(await isListed('<b>')).toBe(true);
});

test('the list says the place of each listing, and is sorted as the visitor chooses', async () => {
  const all = await running();
  const listed = async (query: string) => {
    const { text } = await ask(`${all.service.url}/${query}`);
    return [...text.matchAll(/class="cover" href="\/(?:servers|bots)\/(\d+)"|aria-hidden="true">(#\d+)</g)].map(
      ([, id, place]) => id ?? place,
    );
  };
  await all.service.createListing({ kind: 'server', discordId: '5', name: 'New' });
  for (const listingId of [serverId, botId]) await all.service.castVote({ listingId, ...mira });
  expect(await listed('')).toEqual([serverId, '#1', botId, '#1', '5', '#2']);
  expect(await listed('?sort=new')).toEqual(['5', '#2', botId, '#1', serverId, '#1']);
  expect(await listed('?sort=rating&kind=server')).toEqual([serverId, '#1', '5', '#2']);
  expect(await listed('?sort=nothing&category=nothing')).toEqual([serverId, '#1', botId, '#1', '5', '#2']);
  expect((await ask(`${all.service.url}/?sort=growing`)).text).toContain('compared with the week before');
  const page = (await ask(`${all.service.url}/servers/5`)).text;
  expect(page).toContain('<dt>Place this month</dt><dd>#2</dd>');
  expect(page).toContain('Similar servers');
});

test('the snippets of the badge are escaped for HTML and Markdown', async () => {
  const all = await running();
  const owner = await visit(all, ownerId);
  await owner.send(dashboardPath, { ...edits, name: 'A](x) <b>"' });
  const { text } = await owner.open(dashboardPath);
  const snippets = [...text.matchAll(/<br><span class="copyable"><code>([^<]*)</g)].map(([, snippet = '']) =>
    snippet.replace(/&#(\d+);/g, (_entity, code) => String.fromCharCode(Number(code))),
  );
  const { url } = all.service;
  const image = `${url}/badge/${serverId}.svg?lang=en-US`;
  expect(snippets).toEqual([
    `<a href="${url}/servers/${serverId}"><img src="${image}" alt="Vote for A](x) &#60;b&#62;&#34;" height="28"></a>`,
    `[![Vote for A\\](x) \\<b\\>"](${image})](${url}/servers/${serverId})`,
  ]);
});
