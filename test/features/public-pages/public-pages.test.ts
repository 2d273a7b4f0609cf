import { hour, minute, second } from '@tallyhook/platform/durations';
import { sharedByTests } from '@tallyhook/platform/testing/on-finished';
import { runSql } from '@tallyhook/platform/testing/run-sql';
import { describe, expect, it } from 'vitest';
import { newSqliteUrl } from '../../support/new-sqlite.ts';
import { publicUrl, startPages } from './world.ts';

/** Ids of Discord. */
const anyId = /\d{17,20}/;
const strangers = ['200000000000000001', '200000000000000002', '200000000000000003'] as const;

describe('a public page', { timeout: 60_000 }, () => {
  const world = sharedByTests(async () => {
    const rewards = {
      prizes: [
        {
          per: 'month',
          by: 'votes',
          places: [
            { from: 1, credits: 1_000 },
            { from: 2, to: 5, credits: 200 },
          ],
        },
      ],
      party: { goal: 20, per: 'week', credits: 25 },
      raffle: { per: 'week', winners: 3, credits: 300, maxTickets: 14 },
    };
    const started = await startPages({ harbour: { rewards } });
    const { vote, clock } = started;
    for (const [index, userId] of strangers.entries()) {
      for (let at = index; at < 3; at += 1) {
        const timestamp = new Date(clock.now() - at * 13 * hour).toISOString();
        await vote('harbour', userId, `voter ${index}`, { timestamp });
      }
    }
    await vote('bees', strangers[2], 'a bee');
    return started;
  });

  it('shows the board, prizes, party and where to vote of its community, and nothing of another one', async () => {
    const { text, status } = await world().visit('lantern-harbour');
    expect(status).toBe(200);
    const places = [...text.matchAll(/voter \d/g)].map(([name]) => name);
    expect([...new Set(places)]).toEqual(['voter 0', 'voter 1', 'voter 2']);
    for (const shown of [
      '1,000 credits',
      '#2–5',
      'Vote party',
      'of 20 votes',
      '3 members win 300 credits each.',
      'https://top.gg/',
      'Vote on discord.place',
    ])
      expect(text).toContain(shown);
    expect(text).not.toContain('a bee');
    const other = (await world().visit('bees')).text;
    expect(other).toContain('a bee');
    expect(other).not.toMatch(/voter \d|Prizes|Vote party|Raffle/);
  });

  it('contains no ids, also in the widget, its data and the picture', async () => {
    for (const path of ['', '/widget.js', '/widget.json', '/picture.svg']) {
      const { text, status } = await world().visit(`lantern-harbour${path}`);
      expect(status, path).toBe(200);
      expect(text, path).toContain('voter 0');
      // What the address of a page on a listing site contains is known to everyone who votes there.
      expect(text.replaceAll(/https:\/\/[^"\s]+/g, ''), path).not.toMatch(anyId);
    }
  });

  it('is in the language of the browser, is framed by nobody, and asks search engines to stay away', async () => {
    const { headers, text } = await world().visit('lantern-harbour', { 'accept-language': 'de' });
    expect(text).toContain('<html lang="de">');
    expect(text).toContain('Auf top.gg voten');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('cache-control')).toBe('public, max-age=30');
    expect(headers.get('vary')).toBe('Accept-Language');
    expect(headers.get('x-robots-tag')).toBe('noindex');
  });

  it('lets every site embed the widget and the picture, but not read the page', async () => {
    const allowed = async (path: string) => (await world().visit(path)).headers.get('access-control-allow-origin');
    expect(
      await Promise.all(['widget.js', 'widget.json', 'picture.svg'].map((each) => allowed(`bees/${each}`))),
    ).toEqual(['*', '*', '*']);
    expect(await allowed('bees')).toBe(null);
    expect(JSON.parse((await world().visit('bees/widget.json')).text)).toMatchObject({
      ...{ slug: 'bees', per: 'month', by: 'votes', total: 1 },
      members: [{ rank: 1, name: 'a bee', score: 1 }],
    });
  });

  it('escapes foreign names wherever they are', async () => {
    const { vote, clock, visit } = world();
    await vote('bees', strangers[0], '</script><img src=x \u202Eid="a">&amp;');
    clock.advance(16 * second);
    for (const path of ['', '/picture.svg']) {
      const { text } = await visit(`bees${path}`);
      expect(text, path).not.toMatch(/<img|<\/script>|\u202E/);
      expect(text, path).toContain('&#60;img src=x id=&#34;a&#34;&#62;&#38;amp;');
    }
  });

  it('leaves out who was forgotten, and names a member by the newest vote', async () => {
    const { vote, clock, visit, signIn, tomas } = world();
    await vote('harbour', tomas.id, 'tomas before');
    clock.advance(16 * second);
    expect((await visit('lantern-harbour')).text).toContain('tomas before');
    const member = await signIn('lantern-harbour', tomas.id);
    const token = await member.formToken('lantern-harbour/me');
    expect(await member.send('lantern-harbour/me/forget', { token })).toMatchObject({ status: 200 });
    clock.advance(16 * second);
    const after = await visit('lantern-harbour');
    expect(after.text).toContain('voter 0');
    expect(after.text).not.toContain('tomas before');
  });
});

describe('an address', { timeout: 60_000 }, () => {
  it('without a page looks as one that nobody has', async () => {
    const { visit } = await startPages({ bees: { publicPage: undefined } });
    const missing = await visit('nobody-has-this');
    expect(missing.status).toBe(404);
    expect(missing.text).toContain('<a class="button" href="https://discord.com/channels/@me">Back to Discord</a>');
    for (const path of ['bees', 'bees/me', 'bees/widget.js', 'bees/picture.svg', 'BEES', 'a', '%00%00%00', 'bees/']) {
      const { status, text } = await visit(path);
      expect(status, path).toBe(404);
      expect(text.replaceAll('../', './').replaceAll('././', './'), path).toBe(missing.text);
    }
  });

  it('stays with the community that had it first, also after it has removed its page', async () => {
    const { visit, openBrowser, guilds, mira, aiko, vote, clock } = await startPages({
      harbour: { publicPage: undefined },
      bees: { publicPage: undefined },
    });
    const settingOf = async (guildId: string, listing: string, userId: string) => {
      const browser = openBrowser();
      await browser.signIn(userId);
      const page = `servers/${guildId}/settings/publicPage`;
      let id = 0;
      return async (slug: string) => {
        const token = await browser.formToken(page);
        id += 1;
        const fields = {
          token,
          a: 'submit',
          i: `${userId}-${id}`,
          'o.f': 'publicPage',
          'o.l': listing,
          't.pageAddress': slug,
        };
        return (await browser.send(page, fields)).text;
      };
    };
    const setHarbour = await settingOf(guilds.harbour, 'harbour', mira.id);
    const setBees = await settingOf(guilds.bees, 'bees', aiko.id);
    await vote('harbour', strangers[0], 'a sailor');
    await vote('bees', strangers[1], 'a bee');

    expect(await setHarbour('the-page')).toContain('/c/the-page');
    expect((await visit('the-page')).text).toContain('a sailor');
    expect(await setBees('the-page')).toContain('Another server has this address, or had it first.');
    expect(await setHarbour('')).not.toContain('Another server');
    expect((await visit('the-page')).status).toBe(404);
    // Links and widgets of the first one do not lead to the second one.
    expect(await setBees('the-page')).toContain('Another server has this address, or had it first.');
    expect((await visit('the-page')).status).toBe(404);
    expect(await setHarbour('the-page')).toContain('/c/the-page');
    expect((await visit('the-page')).text).toContain('a sailor');

    // Of many, the newest three are kept.
    for (const slug of ['second', 'third', 'fourth']) {
      clock.advance(minute);
      await setHarbour(slug);
    }
    expect(await setBees('second')).toContain('Another server');
    expect(await setBees('the-page')).toContain('/c/the-page');
    expect((await visit('the-page')).text).toContain('a bee');
  });

  it('that two communities of a file want is that of the first one, and an issue of the other', async () => {
    const { visit, vote, openBrowser, guilds, aiko, clock } = await startPages({
      bees: { publicPage: { slug: 'lantern-harbour' } },
    });
    await vote('harbour', strangers[0], 'a sailor');
    await vote('bees', strangers[1], 'a bee');
    clock.advance(16 * second);
    const { text } = await visit('lantern-harbour');
    expect(text).toContain('a sailor');
    expect(text).not.toContain('a bee');
    const owner = openBrowser();
    await owner.signIn(aiko.id);
    expect((await owner.open(`servers/${guilds.bees}/settings/publicPage`)).text).toContain(
      'Another server has this address',
    );
  });

  it('shows no members of hidden roles', async () => {
    const databaseUrl = newSqliteUrl();
    const role = '119000000000000061';
    const { visit, vote, tomas, clock } = await startPages({
      harbour: { guards: { hiddenRoles: [role] } },
      environment: { DATABASE_URL: databaseUrl },
    });
    await vote('harbour', tomas.id, 'of the team');
    await vote('harbour', strangers[0], 'a sailor');
    expect((await visit('lantern-harbour')).text).toContain('of the team');
    // The roles with which the member was last seen.
    await runSql(databaseUrl, `update balances set roles = '["${role}"]' where account_id like '%:${tomas.id}'`);
    clock.advance(16 * second);
    for (const path of ['', '/widget.js', '/widget.json', '/picture.svg']) {
      const { text } = await visit(`lantern-harbour${path}`);
      expect(text, path).toContain('a sailor');
      expect(text, path).not.toContain('of the team');
    }
  });
});

describe('the page of a member', { timeout: 60_000 }, () => {
  const world = sharedByTests(async () => {
    const started = await startPages();
    const { vote, mira, tomas, clock } = started;
    await vote('harbour', mira.id, 'mira', { timestamp: new Date(clock.now() - 13 * hour).toISOString() });
    await vote('harbour', mira.id, 'mira');
    await vote('harbour', tomas.id, 'tomas');
    await vote('bees', mira.id, 'mira');
    return started;
  });
  const figures = (text: string) =>
    Object.fromEntries(
      [...text.matchAll(/<dt>([^<]+)<\/dt><dd>([^<]+)<\/dd>/g)].map(([, name, value]) => [name, value]),
    );

  it('shows the own account of this community alone', async () => {
    const { signIn, mira, tomas } = world();
    const member = await signIn('lantern-harbour', mira.id);
    expect(member.returned).toMatchObject({ status: 303, location: '../lantern-harbour/me' });
    const own = await member.open('lantern-harbour/me');
    expect(figures(own.text)).toMatchObject({ Credits: '20', 'All votes': '2' });
    expect(own.headers.get('cache-control')).toBe('no-store');
    expect(own.text).not.toMatch(anyId);
    expect(figures((await member.open('bees/me')).text)).toMatchObject({ Credits: '10', 'All votes': '1' });
    // Whatever a request names, it is about who has signed in.
    const forged = await member.open(`lantern-harbour/me?user=${tomas.id}&userId=${tomas.id}`);
    expect(figures(forged.text)).toMatchObject({ 'All votes': '2' });
    const exported = await member.open('bees/me/export');
    expect(exported.text).toContain(mira.id);
    expect(exported.text).not.toContain(tomas.id);
  });

  it('asks who has not signed in to do so, and changes nothing for them', async () => {
    const { visit, openBrowser } = world();
    const { text } = await visit('lantern-harbour/me');
    expect(text).toContain(`${publicUrl}/c/lantern-harbour/me/sign-in`);
    expect(text).not.toContain('Credits');
    for (const path of ['export', 'forget']) expect((await visit(`lantern-harbour/me/${path}`)).status).toBe(303);
    const stranger = openBrowser();
    const sent = await stranger.send(`${publicUrl}/c/lantern-harbour/me/forget`, { token: 'x' });
    expect(sent).toMatchObject({ status: 303, location: '../me' });
  });

  it('lets the member be left out of the page of this community', async () => {
    const { signIn, visit, mira, clock } = world();
    const member = await signIn('lantern-harbour', mira.id);
    const token = await member.formToken('lantern-harbour/me');
    const shown = async (slug: string) => {
      clock.advance(16 * second);
      const paths = ['', '/widget.js', '/widget.json', '/picture.svg'];
      const texts = await Promise.all(paths.map(async (path) => (await visit(slug + path)).text));
      return texts.filter((text) => text.includes('mira')).length;
    };
    await member.send('lantern-harbour/me/shown', { token, state: 'off' });
    expect([await shown('lantern-harbour'), await shown('bees')]).toEqual([0, 4]);
    // Nobody moves up, so that coming back changes the place of nobody.
    expect((await visit('lantern-harbour/widget.json')).text).toContain('{"rank":2,"score":1,"name":"tomas"}');
    await member.send('lantern-harbour/me/shown', { token, state: 'on' });
    expect(await shown('lantern-harbour')).toBe(4);
  });

  it('switches the reminders of this community on and off', async () => {
    const { signIn, mira } = world();
    const member = await signIn('lantern-harbour', mira.id);
    const isOn = async (slug: string) => (await member.open(`${slug}/me`)).text.includes('Stop');
    const token = await member.formToken('lantern-harbour/me');
    const before = [await isOn('lantern-harbour'), await isOn('bees')];
    const next = before[0] === true ? 'off' : 'on';
    await member.send('lantern-harbour/me/reminders', { token, state: next });
    expect([await isOn('lantern-harbour'), await isOn('bees')]).toEqual([!before[0], before[1]]);
  });

  it('rejects forms of other sites and without the token of the session, and a callback that is used again', async () => {
    const { signIn, mira } = world();
    const member = await signIn('lantern-harbour', mira.id);
    const token = await member.formToken('lantern-harbour/me');
    const forget = (fields: Record<string, string>, headers = {}) =>
      member.send('lantern-harbour/me/forget', fields, headers);
    expect((await forget({ token }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await forget({ token: 'guessed' })).status).toBe(400);
    expect((await member.browser.open(member.back)).status).toBe(400);
    expect(figures((await member.open('lantern-harbour/me')).text)).toMatchObject({ 'All votes': '2' });
    await member.send('lantern-harbour/me/sign-out', { token });
    expect((await member.open('lantern-harbour/me')).text).toContain('sign-in');
  });

  it('ends everywhere when the member signs out, for a copy of the cookie as well', async () => {
    const { signIn, mira, visit } = world();
    const member = await signIn('lantern-harbour', mira.id);
    const cookie = [...member.browser.cookies].map((each) => each.join('=')).join('; ');
    const token = await member.formToken('lantern-harbour/me');
    expect((await visit('bees/me', { cookie })).text).toContain('Credits');
    await member.send('bees/me/sign-out', { token });
    expect((await visit('bees/me', { cookie })).text).not.toContain('Credits');
  });

  it('is not offered where nobody can sign in', async () => {
    const { visit } = await startPages({ environment: { DISCORD_CLIENT_SECRET: '', PUBLIC_URL: '' } });
    expect((await visit('bees')).text).not.toContain('/me');
    expect((await visit('bees/me')).status).toBe(404);
  });
});

it('a page is read once for all who visit it within seconds', { timeout: 60_000 }, async () => {
  const { visit, vote, clock } = await startPages();
  const shown = async () => (await visit('bees')).text.includes('late bee');
  expect(await shown()).toBe(false);
  await vote('bees', strangers[0], 'late bee');
  expect(await shown()).toBe(false);
  clock.advance(16 * second);
  expect(await shown()).toBe(true);
});

it('a process without a bot token names members by their votes', { timeout: 60_000 }, async () => {
  const environment = { DISCORD_TOKEN: '', TALLYHOOK_ROLES: 'receive' };
  const { visit, vote } = await startPages({ environment });
  await vote('bees', strangers[0], 'a bee');
  const { text } = await visit('bees');
  expect(text).toContain('a bee');
  expect(text).not.toContain('/me');
});

it('requests of an address are limited', { timeout: 60_000 }, async () => {
  const { visit } = await startPages();
  const statuses = new Set<number>();
  for (let count = 0; count < 250; count += 1) statuses.add((await visit('bees')).status);
  expect([...statuses]).toEqual([200, 429]);
});
