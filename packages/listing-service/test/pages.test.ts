import { once } from 'node:events';
import { request } from 'node:http';
import { hour } from '@tallyhook/platform/durations';
import { parseResponses, rawConnection } from '@tallyhook/platform/testing/raw-http';
import { expect, test } from 'vitest';
import { openDatabase } from '../src/storage/database.ts';
import { type Answered, ask, mira, ownerId, receiver, running, serverId, tobias } from '../testing/running.ts';
import { visit } from '../testing/visit.ts';

const listingPath = `/servers/${serverId}`;
const dashboardPath = `/dashboard/${serverId}`;

test('visitors see a listing with its votes and reviews, and a link to sign in', async () => {
  const { service } = await running();
  const { status, text, headers } = await ask(service.url + listingPath);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(text).toContain('Lantern Harbour');
  expect(text).toContain('31 reviews');
  expect(text).toContain('Five stars, five lanterns, five cups of tea.');
  expect(text).toContain('Sign in to vote');
});

test('a vote is counted once, and the button then shows the cooldown', async () => {
  const all = await running();
  const { open, send } = await visit(all, mira.userId);
  expect((await open(listingPath)).text).toContain('<button>Vote for <bdi>Lantern Harbour</bdi></button>');
  const voted = await send(`${listingPath}/vote`, {});
  expect([voted.status, voted.headers.get('location')]).toEqual([303, `${listingPath}?notice=voted&at=vote#result`]);
  all.clock.leap(1 * hour + 1);
  expect((await open(listingPath)).text).toContain('<button disabled>Vote again in 11 hours</button>');
  expect((await send(`${listingPath}/vote`, {})).headers.get('location')).toBe(
    `${listingPath}?notice=cooldown&at=vote#result`,
  );
  all.clock.leap(11 * hour);
  expect((await open(listingPath)).text).toContain('<button>Vote for <bdi>Lantern Harbour</bdi></button>');
});

test('a page is linked in every language with what it has read of its query, and a stranger cannot make it long', async () => {
  const { service } = await running();
  const languageLinks = (text: string) =>
    [...text.matchAll(/<a href="([^"]*)" lang="[^"]*" hreflang/g)].map(([, href = '']) =>
      href.replaceAll('&#38;', '&'),
    );
  const linksOf = async (path: string) => languageLinks((await ask(service.url + path)).text);
  expect(await linksOf('/?q=lantern+bay&kind=server&page=2&notice=voted')).toContain(
    '?q=lantern+bay&kind=server&page=2&lang=de',
  );
  expect(await linksOf('/sign-in?next=/dashboard/1')).toContain('?next=%2Fdashboard%2F1&lang=de');
  expect(await linksOf(`${listingPath}?sort=best&all=1`)).toContain('?sort=best&all=1&lang=de');
  const plain = (await ask(`${service.url}/`)).text.length;
  const long = 'ü'.repeat(2_000);
  const many = Array.from({ length: 800 }, (_, index) => `a${index}=x`).join('&');
  const queries = [
    `tags=${long}`,
    `q=${long}`,
    `tag=${long}`,
    `${long}=1`,
    `next=${long}`,
    `lang=${long}`,
    many,
    `q=1&${many}`,
  ];
  for (const query of [...queries, `q=${'a'.repeat(12_000)}`, `page=${'1'.repeat(12_000)}`, 'q=1&'.repeat(3_000)]) {
    for (const path of ['/', '/sign-in', listingPath, '/nothing-here']) {
      const { text } = await ask(`${service.url}${path}?${query}`);
      const [longest = 0] = languageLinks(text)
        .map(({ length }) => length)
        .toSorted((a, b) => b - a);
      expect(longest, `${path} ${query.slice(0, 20)}`).toBeLessThan(200);
      if (path === '/') expect(text.length, query.slice(0, 20)).toBeLessThan(plain + 4_000);
    }
  }
});

test('untrusted text is escaped on every page', async () => {
  const all = await running();
  const markup = `"><img src=x onerror=alert(1)>&'`;
  await all.service.addReview({ listingId: serverId, userId: '5', username: markup, rating: 5, comment: markup });
  await all.service.castVote({ listingId: serverId, userId: '5', username: markup });
  const owner = await visit(all, ownerId);
  const edits = { name: markup, description: markup, tags: `"><img src=x>&'`, category: markup, rules: markup };
  expect((await owner.send(dashboardPath, edits)).status).toBe(303);
  await owner.send(`${dashboardPath}/keys`, { label: markup });
  const pages = ['/', listingPath, dashboardPath, '/sign-in', `/sign-in/${encodeURIComponent(markup)}`];
  for (const path of pages) {
    const { text } = await owner.open(path);
    expect(text, path).not.toContain('<img src=x');
    expect(text, path).not.toMatch(/="[^"]*"&/);
  }
  expect((await owner.open(listingPath)).text).toContain('&#34;&#62;&#60;img src=x');
});

test('pages have no inline scripts, and only the dashboard of a listing may load one', async () => {
  const all = await running();
  const owner = await visit(all, ownerId);
  for (const path of ['/', listingPath, '/sign-in', '/dashboard', dashboardPath, '/nothing-here']) {
    const { text, headers } = await owner.open(path);
    expect(text, path).not.toMatch(/<script>|javascript:| on\w+=| style=/i);
    const isDashboard = path === dashboardPath;
    expect([...text.matchAll(/<script[^>]*>/g)].flat(), path).toEqual(
      path === dashboardPath ? ['<script src="/assets/copy.js" defer>'] : [],
    );
    expect(headers.get('content-security-policy'), path).toBe(
      `default-src 'none';style-src 'self';img-src 'self';form-action 'self';base-uri 'none';frame-ancestors 'none'${isDashboard ? ";script-src 'self'" : ''}`,
    );
    expect(headers.get('cache-control'), path).toBe('no-store');
  }
});

test('a form without the CSRF token of its session, or from another site, is rejected', async () => {
  const all = await running();
  const { send, cookie } = await visit(all, mira.userId);
  const other = await visit(all, tobias.userId);
  const vote = `${listingPath}/vote`;
  expect((await send(vote, { token: '' })).status).toBe(403);
  expect((await send(vote, { token: other.token })).status).toBe(403);
  expect((await ask(all.service.url + vote, { method: 'POST', headers: { cookie } })).status).toBe(403);
  expect((await send(vote, {}, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
  expect((await send(vote, {}, { 'Sec-Fetch-Site': 'same-site' })).status).toBe(403);
  expect((await send(vote, {}, { Origin: 'https://evil.example' })).status).toBe(403);
  expect((await send(vote, {}, { Origin: 'null' })).status).toBe(403);
  expect(await all.service.castVote({ listingId: serverId, ...mira })).toMatchObject({ recorded: true });
});

test('a sign-in form from another site is rejected', async () => {
  const { service } = await running();
  const headers = { 'Sec-Fetch-Site': 'cross-site' };
  const body = new URLSearchParams({ userId: mira.userId });
  expect((await ask(`${service.url}/sign-in`, { method: 'POST', headers, body })).status).toBe(403);
});

test('a forged or expired cookie is rejected', async () => {
  const all = await running();
  const { cookie } = await visit(all, mira.userId);
  const [user, expiry, signature] = (cookie.split('=')[1] ?? '').split('.');
  const isRejected = async (value: string) =>
    (await ask(`${all.service.url}/`, { headers: { cookie: `tallyhook_session=${value}` } })).text.includes('Sign in');
  expect(await isRejected(`${user}.${expiry}.${signature}`)).toBe(false);
  expect(await isRejected(`${ownerId}.${expiry}.${signature}`)).toBe(true);
  expect(await isRejected(`${user}.${Number(expiry) + 1}.${signature}`)).toBe(true);
  expect(await isRejected(`${user}.${expiry}.`)).toBe(true);
  expect(await isRejected('..')).toBe(true);
  all.clock.leap(30 * 24 * hour);
  expect(await isRejected(`${user}.${expiry}.${signature}`)).toBe(true);
});

test('only the owner has access to the dashboard', async () => {
  const all = await running();
  expect((await ask(all.service.url + dashboardPath)).headers.get('location')).toContain('/sign-in?next=');
  const { open, send } = await visit(all, mira.userId);
  expect((await open(dashboardPath)).status).toBe(404);
  for (const path of ['', '/keys', '/webhooks/vote', '/webhooks/vote/rotate', '/webhooks/vote/test']) {
    expect((await send(dashboardPath + path, { name: 'x', label: 'x', url: 'http://127.0.0.1/' })).status).toBe(404);
  }
});

test('an API key is shown once, listed by its last characters, and rejected after it is revoked', async () => {
  const all = await running();
  const { open, send } = await visit(all, ownerId);
  const created = await send(`${dashboardPath}/keys`, { label: 'For the bot' });
  const key = /role="status".*?<code>([^<]+)</s.exec(created.text)?.[1] ?? '';
  expect((await all.get('/server', { 'X-API-Key': key })).status).toBe(200);
  const later = (await open(dashboardPath)).text;
  expect(later).not.toContain(key);
  expect(later).toContain(`…${key.slice(-4)}`);
  const revoke = /href="([^"]+\/revoke)"/.exec(later)?.[1] ?? '';
  expect((await open(revoke)).text).toContain('Revoke the key “<bdi>For the bot</bdi>”?');
  expect((await send(revoke, {})).status).toBe(303);
  expect((await all.get('/server', { 'X-API-Key': key })).status).toBe(401);
  expect((await send(revoke, {})).status).toBe(404);
});

test('the webhook section sets the URL, shows the secret once, tests, rotates, resends and removes', async () => {
  const all = await running();
  const { url, received } = await receiver((_delivery, count) => (count === 2 ? 500 : 200));
  const { open, send } = await visit(all, ownerId);
  const section = `${dashboardPath}/webhooks/vote`;
  const secretOf = (page: Answered) => /role="status".*?<code>([^<]+)</s.exec(page.text)?.[1] ?? '';

  const first = secretOf(await send(section, { url, secret: '' }));
  expect(first).toMatch(/^vote_/);
  expect((await open(dashboardPath)).text).not.toContain(first);
  expect((await send(`${section}/test`, {})).headers.get('location')).toBe(
    `${dashboardPath}?notice=test-delivered&at=vote-webhooks#result`,
  );
  expect((await send(`${section}/test`, {})).headers.get('location')).toBe(
    `${dashboardPath}?notice=test-failed&at=vote-webhooks#result`,
  );
  expect((await open(dashboardPath)).text).toContain('The receiver returned 500.');

  const second = secretOf(await send(`${section}/rotate`, {}));
  expect(second).not.toBe(first);
  expect((await open(dashboardPath)).text).toContain('previous secret is still used until');

  const [delivery] = await all.service.deliveries(serverId);
  expect((await send(`${dashboardPath}/deliveries/${delivery?.id}/resend`, {})).status).toBe(303);
  await expect.poll(() => received.length).toBe(3);
  expect((await send(`${dashboardPath}/deliveries/none/resend`, {})).status).toBe(404);

  expect((await send(`${section}/remove`, {})).status).toBe(303);
  expect((await send(`${section}/test`, {})).status).toBe(404);
});

test('a webhook URL outside the public internet is rejected with the reason', async () => {
  const hosted = await running({ allowLoopbackTargets: false, actAsMembers: true });
  const { send } = await visit(hosted, ownerId);
  for (const url of ['http://127.0.0.1:3000/', 'https://127.0.0.1/', 'https://[::ffff:10.0.0.1]/', 'nonsense']) {
    const { status, text } = await send(`${dashboardPath}/webhooks/vote`, { url });
    expect(status).toBe(400);
    expect(text).toMatch(/https:\/\/|public internet|not a URL/);
  }
});

test('invalid forms get an error page without a stack trace', async () => {
  const all = await running();
  const { send, cookie } = await visit(all, mira.userId);
  const review = `${listingPath}/reviews`;
  for (const fields of [
    {},
    { rating: '6', comment: 'x' },
    { rating: '5', comment: ' ' },
    { rating: 'x', comment: 'x' },
  ]) {
    expect((await send(review, fields as Record<string, string>)).status).toBe(400);
  }
  expect((await send(review, { rating: '5', comment: 'x'.repeat(100_000) })).status).toBe(413);
  const odd = { method: 'POST', headers: { cookie, 'Content-Type': 'application/x-www-form-urlencoded; charset=x' } };
  expect((await ask(all.service.url + review, { ...odd, body: 'token=1' })).status).toBe(400);
  expect((await ask(`${all.service.url}/servers/%E0`)).status).toBe(404);
  expect((await ask(`${all.service.url}/bots/${serverId}`)).status).toBe(404);
  expect((await send('/nothing', {})).text).not.toMatch(/node_modules|at .*\.ts/);
});

test('sign-in redirects only to pages of this service', async () => {
  const { service } = await running();
  const locationFor = async (next: string) => {
    const body = new URLSearchParams({ userId: mira.userId, next });
    return (await ask(`${service.url}/sign-in`, { method: 'POST', body })).headers.get('location');
  };
  expect(await locationFor(listingPath)).toBe(listingPath);
  for (const next of ['//evil.example', 'https://evil.example', '/\\evil.example', '/%0d%0aX: y', '']) {
    expect(await locationFor(next)).toBe('/');
  }
});

test('a hosted service has sign-in links only, which work once within 15 minutes', async () => {
  const all = await running({ actAsMembers: false });
  const { issueSignInToken } = await import('../src/storage/members/sign-in-links.ts');
  const database = await openDatabase(all.database);
  const fresh = await issueSignInToken(database, { userId: ownerId, username: 'rowan' }, all.clock.now());
  const old = await issueSignInToken(database, { userId: ownerId, username: 'rowan' }, all.clock.now() - hour);
  await database.destroy();
  const post = (path: string) => ask(all.service.url + path, { method: 'POST' });
  const body = new URLSearchParams({ userId: ownerId });
  expect((await ask(`${all.service.url}/sign-in`, { method: 'POST', body })).status).toBe(404);
  expect((await ask(`${all.service.url}/sign-in`)).text).not.toContain('rowan');
  expect((await post(`/sign-in/${old}`)).status).toBe(403);
  expect((await ask(`${all.service.url}/sign-in/${fresh}`)).text).toContain('as <strong><bdi>rowan</bdi></strong>');
  expect((await ask(`${all.service.url}/sign-in/${old}`)).status).toBe(403);
  const signedIn = await post(`/sign-in/${fresh}`);
  expect(signedIn.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Lax/);
  expect((await post(`/sign-in/${fresh}`)).status).toBe(403);
});

test('the cookie is Secure if the public URL uses HTTPS', async () => {
  const all = await running({ publicUrl: 'https://list.example' });
  const local = `http://127.0.0.1:${all.port}`;
  const body = new URLSearchParams({ userId: ownerId });
  const { headers } = await ask(`${local}/sign-in`, { method: 'POST', body });
  expect(headers.get('set-cookie')).toContain('Secure');
});

test('a flash message is shown by name, never as text from a link', async () => {
  const { service } = await running();
  expect((await ask(`${service.url}/?notice=voted`)).text).toContain('your vote was counted');
  for (const notice of ['Send%20money', 'toString', '__proto__']) {
    expect((await ask(`${service.url}/?notice=${notice}`)).text).not.toContain('role="status"');
  }
});

test('a client that half-closes its connection gets the response, even a slow one', async () => {
  const all = await running();
  const { token, cookie } = await visit(all, ownerId);
  const { url } = await receiver(() => new Promise((resolve) => setTimeout(resolve, 100, 200)));
  await all.service.setWebhook(serverId, { voteUrl: url, voteSecret: 'a-secret-for-votes-only' });
  const { write, end, closed } = rawConnection(all.service.url);
  const form = `token=${token}`;
  const head = `POST ${dashboardPath}/webhooks/vote/test HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ${cookie}`;
  const type = `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}`;
  write(`${head}\r\n${type}\r\n\r\n${form}`);
  end();
  const [answer] = parseResponses(await closed);
  expect(answer).toMatchObject({
    status: 303,
    head: expect.stringContaining('notice=test-delivered&at=vote-webhooks#result'),
  });
});

/** A request with a forged Host header, which fetch does not allow. */
async function statusAt(url: string, host: string, init: { method?: string; body?: string } = {}) {
  const headers = { host, origin: `http://${host}`, 'content-type': 'application/x-www-form-urlencoded' };
  const [response] = await once(request(url, { method: init.method ?? 'GET', headers }).end(init.body), 'response');
  response.resume();
  return { status: response.statusCode, cookie: response.headers['set-cookie'] };
}

test('without authentication, only the host names of this machine and of the public URL are accepted', async () => {
  const { service } = await running({ publicUrl: 'http://votes.example:8080' });
  const at = `http://127.0.0.1:${service.port}`;
  const signIn = { method: 'POST', body: `userId=${mira.userId}` };
  for (const host of [
    `evil.example:${service.port}`,
    'evil.example',
    '127.0.0.1.evil.example',
    'localhost@evil.example',
  ]) {
    expect(await statusAt(`${at}/`, host), host).toMatchObject({ status: 403 });
    expect(await statusAt(`${at}/sign-in`, host, signIn), host).toEqual({ status: 403, cookie: undefined });
  }
  for (const host of [`127.0.0.1:${service.port}`, 'localhost:9', '[::1]', 'votes.example:8080']) {
    expect(await statusAt(`${at}/`, host), host).toMatchObject({ status: 200 });
    expect(await statusAt(`${at}/sign-in`, host, signIn), host).toMatchObject({ status: 303 });
  }
});

test('with sign-in links, any host name is accepted', async () => {
  const { service } = await running({ publicUrl: 'https://votes.example', actAsMembers: false });
  expect(await statusAt(`http://127.0.0.1:${service.port}/`, 'service:4000')).toMatchObject({ status: 200 });
});

test('the longest text in any script fits into a form, and a text that is too long is explained', async () => {
  const all = await running();
  const owner = await visit(all, ownerId);
  const rule = '规'.repeat(284);
  const edits = {
    ...{ name: '灯'.repeat(100), description: '海'.repeat(2_000), category: 'Community' },
    ...{
      tags: Array.from({ length: 10 }, (_, index) => `${index}${'港'.repeat(29)}`).join(','),
      rules: Array(14).fill(rule).join('\n'),
    },
  };
  const saved = await owner.send(dashboardPath, edits);
  expect([saved.status, saved.headers.get('location')]).toEqual([
    303,
    `${dashboardPath}?notice=saved&at=basics#result`,
  ]);
  const explained = async (fields: object) => {
    const { status, text } = await owner.send(dashboardPath, { ...edits, ...fields });
    return [status, /Please check [^<]*/.exec(text)?.[0]];
  };
  expect(await explained({ name: ' \u200b ' })).toEqual([400, 'Please check the name: it is empty.']);
  expect(await explained({ name: 'x'.repeat(101) })).toEqual([
    400,
    'Please check the name: it has more than 100 characters.',
  ]);
  expect(await explained({ tags: 'x'.repeat(31) })).toEqual([
    400,
    'Please check the tags: one of them has more than 30 characters.',
  ]);
  expect(await explained({ tags: 'a,b,c,d,e,f,g,h,i,j,k' })).toEqual([
    400,
    'Please check the tags: there are more than 10.',
  ]);
});
