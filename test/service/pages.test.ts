import { once } from 'node:events';
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { hour } from '../../src/platform/durations.ts';
import { openDatabase } from '../../src/service/storage/database.ts';
import { answersIn, rawConnection } from '../support/raw-http.ts';
import { type Answered, ask, mira, ownerId, type Running, receiver, running, serverId, tobias } from './running.ts';

interface Visit {
  open(path: string, headers?: Record<string, string>): Promise<Answered>;
  send(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Answered>;
  readonly token: string;
  readonly cookie: string;
}

/** A browser that is signed in as this member and has opened a page, so that it holds the form token. */
async function visit({ service }: Running, userId: string): Promise<Visit> {
  const signedIn = await ask(`${service.url}/sign-in`, { method: 'POST', body: new URLSearchParams({ userId }) });
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  const { text } = await ask(`${service.url}/`, { headers: { cookie } });
  const token = /name="token" value="([^"]+)"/.exec(text)?.[1] ?? '';
  return {
    token,
    cookie,
    open: (path, headers = {}) => ask(service.url + path, { headers: { cookie, ...headers } }),
    send: (path, fields, headers = {}) =>
      ask(service.url + path, {
        method: 'POST',
        headers: { cookie, ...headers },
        body: new URLSearchParams({ token, ...fields }),
      }),
  };
}

const listingPath = `/servers/${serverId}`;
const dashboardPath = `/dashboard/${serverId}`;

test('anybody sees a listing with its votes and reviews, and is asked to sign in to vote', async () => {
  const { service } = await running();
  const { status, text, headers } = await ask(service.url + listingPath);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(text).toContain('Lantern Harbour');
  expect(text).toContain('31 reviews');
  expect(text).toContain('Five stars, five lanterns, five cups of tea.');
  expect(text).toContain('Sign in to vote');
});

test('a vote is counted once, and the button then knows the cooldown', async () => {
  const all = await running();
  const { open, send } = await visit(all, mira.userId);
  expect((await open(listingPath)).text).toContain('<button>Vote for Lantern Harbour</button>');
  const voted = await send(`${listingPath}/vote`, {});
  expect([voted.status, voted.headers.get('location')]).toEqual([303, `${listingPath}?notice=voted`]);
  all.clock.leap(1 * hour + 1);
  expect((await open(listingPath)).text).toContain('<button disabled>Vote again in 11 hours</button>');
  expect((await send(`${listingPath}/vote`, {})).headers.get('location')).toBe(`${listingPath}?notice=cooldown`);
  all.clock.leap(11 * hour);
  expect((await open(listingPath)).text).toContain('<button>Vote for Lantern Harbour</button>');
});

test('foreign text is escaped wherever it stands', async () => {
  const all = await running();
  const nasty = `"><img src=x onerror=alert(1)>&'`;
  await all.service.addReview({ listingId: serverId, userId: '5', username: nasty, rating: 5, comment: nasty });
  await all.service.castVote({ listingId: serverId, userId: '5', username: nasty });
  const owner = await visit(all, ownerId);
  await owner.send(dashboardPath, { name: nasty, description: nasty, tags: nasty });
  await owner.send(`${dashboardPath}/keys`, { label: nasty });
  const pages = ['/', listingPath, dashboardPath, '/sign-in', `/sign-in/${encodeURIComponent(nasty)}`];
  for (const path of pages) {
    const { text } = await owner.open(path);
    expect(text, path).not.toContain('<img');
    expect(text, path).not.toMatch(/="[^"]*"&/);
  }
  expect((await owner.open(listingPath)).text).toContain('&#34;&#62;&#60;img src=x');
});

test('no page needs a script, and the policy allows none', async () => {
  const all = await running();
  const owner = await visit(all, ownerId);
  for (const path of ['/', listingPath, '/sign-in', '/dashboard', dashboardPath, '/nothing-here']) {
    const { text, headers } = await owner.open(path);
    expect(text, path).not.toMatch(/<script|javascript:| on\w+=| style=/i);
    expect(headers.get('content-security-policy'), path).toBe(
      "default-src 'none';style-src 'self';form-action 'self';base-uri 'none';frame-ancestors 'none'",
    );
    expect(headers.get('cache-control'), path).toBe('no-store');
  }
});

test('a form without the token of this session, or from another site, changes nothing', async () => {
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

test('signing in from another site is refused too', async () => {
  const { service } = await running();
  const headers = { 'Sec-Fetch-Site': 'cross-site' };
  const body = new URLSearchParams({ userId: mira.userId });
  expect((await ask(`${service.url}/sign-in`, { method: 'POST', headers, body })).status).toBe(403);
});

test('a forged, foreign or spent cookie signs nobody in', async () => {
  const all = await running();
  const { cookie } = await visit(all, mira.userId);
  const [user, expiry, signature] = (cookie.split('=')[1] ?? '').split('.');
  const nobody = async (value: string) =>
    (await ask(`${all.service.url}/`, { headers: { cookie: `tallyhook_session=${value}` } })).text.includes('Sign in');
  expect(await nobody(`${user}.${expiry}.${signature}`)).toBe(false);
  expect(await nobody(`${ownerId}.${expiry}.${signature}`)).toBe(true);
  expect(await nobody(`${user}.${Number(expiry) + 1}.${signature}`)).toBe(true);
  expect(await nobody(`${user}.${expiry}.`)).toBe(true);
  expect(await nobody('..')).toBe(true);
  all.clock.leap(30 * 24 * hour);
  expect(await nobody(`${user}.${expiry}.${signature}`)).toBe(true);
});

test('only the owner sees and uses the dashboard', async () => {
  const all = await running();
  expect((await ask(all.service.url + dashboardPath)).headers.get('location')).toContain('/sign-in?next=');
  const { open, send } = await visit(all, mira.userId);
  expect((await open(dashboardPath)).status).toBe(403);
  for (const path of ['', '/keys', '/webhooks/vote', '/webhooks/vote/rotate', '/webhooks/vote/test']) {
    expect((await send(dashboardPath + path, { name: 'x', label: 'x', url: 'http://127.0.0.1/' })).status).toBe(403);
  }
});

test('an API key is shown once, is kept as its last characters, and ends when it is revoked', async () => {
  const all = await running();
  const { open, send } = await visit(all, ownerId);
  const made = await send(`${dashboardPath}/keys`, { label: 'For the bot' });
  const key = /<code class="secret">([^<]+)</.exec(made.text)?.[1] ?? '';
  expect((await all.get('/server', { 'X-API-Key': key })).status).toBe(200);
  const later = (await open(dashboardPath)).text;
  expect(later).not.toContain(key);
  expect(later).toContain(`…${key.slice(-4)}`);
  const revoke = /action="([^"]+\/revoke)"/.exec(later)?.[1] ?? '';
  expect((await send(revoke, {})).status).toBe(303);
  expect((await all.get('/server', { 'X-API-Key': key })).status).toBe(401);
  expect((await send(revoke, {})).status).toBe(404);
});

test('the webhook section sets the address, shows the secret once, tests, rotates, resends and removes', async () => {
  const all = await running();
  const { url, received } = await receiver((_delivery, count) => (count === 2 ? 500 : 200));
  const { open, send } = await visit(all, ownerId);
  const section = `${dashboardPath}/webhooks/vote`;
  const secretOf = (page: Answered) => /<code class="secret">([^<]+)</.exec(page.text)?.[1] ?? '';

  const first = secretOf(await send(section, { url, secret: '' }));
  expect(first).toMatch(/^vote_/);
  expect((await open(dashboardPath)).text).not.toContain(first);
  expect((await send(`${section}/test`, {})).headers.get('location')).toBe(`${dashboardPath}?notice=test-delivered`);
  expect((await send(`${section}/test`, {})).headers.get('location')).toBe(`${dashboardPath}?notice=test-failed`);
  expect((await open(dashboardPath)).text).toContain('Answered 500.');

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

test('an address that may not be called is refused with the reason', async () => {
  const hosted = await running({ allowLoopbackTargets: false, actAsMembers: true });
  const { send } = await visit(hosted, ownerId);
  for (const url of ['http://127.0.0.1:3000/', 'https://127.0.0.1/', 'https://[::ffff:10.0.0.1]/', 'nonsense']) {
    const { status, text } = await send(`${dashboardPath}/webhooks/vote`, { url });
    expect(status).toBe(400);
    expect(text).toMatch(/https:\/\/|public internet|not a URL/);
  }
});

test('bad forms are answered with words, not with a stack trace', async () => {
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
  expect((await send(review, { rating: '5', comment: 'x'.repeat(40_000) })).status).toBe(413);
  const odd = { method: 'POST', headers: { cookie, 'Content-Type': 'application/x-www-form-urlencoded; charset=x' } };
  expect((await ask(all.service.url + review, { ...odd, body: 'token=1' })).status).toBe(400);
  expect((await ask(`${all.service.url}/servers/%E0`)).status).toBe(404);
  expect((await ask(`${all.service.url}/bots/${serverId}`)).status).toBe(404);
  expect((await send('/nothing', {})).text).not.toMatch(/node_modules|at .*\.ts/);
});

test('signing in leads back into this service only', async () => {
  const { service } = await running();
  const lead = async (next: string) => {
    const body = new URLSearchParams({ userId: mira.userId, next });
    return (await ask(`${service.url}/sign-in`, { method: 'POST', body })).headers.get('location');
  };
  expect(await lead(listingPath)).toBe(listingPath);
  for (const next of ['//evil.example', 'https://evil.example', '/\\evil.example', '/%0d%0aX: y', '']) {
    expect(await lead(next)).toBe('/');
  }
});

test('where members cannot be acted as, one signs in by a link only, which works once and for fifteen minutes', async () => {
  const all = await running({ actAsMembers: false });
  const { issueSignInToken } = await import('../../src/service/actions/sign-in.ts');
  const database = await openDatabase(all.database);
  const fresh = await issueSignInToken(database, { userId: ownerId, username: 'rowan' }, all.clock.now());
  const old = await issueSignInToken(database, { userId: ownerId, username: 'rowan' }, all.clock.now() - hour);
  await database.destroy();
  const post = (path: string) => ask(all.service.url + path, { method: 'POST' });
  const body = new URLSearchParams({ userId: ownerId });
  expect((await ask(`${all.service.url}/sign-in`, { method: 'POST', body })).status).toBe(404);
  expect((await ask(`${all.service.url}/sign-in`)).text).not.toContain('rowan');
  expect((await post(`/sign-in/${old}`)).status).toBe(403);
  expect((await ask(`${all.service.url}/sign-in/${fresh}`)).status).toBe(200);
  const signedIn = await post(`/sign-in/${fresh}`);
  expect(signedIn.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Lax/);
  expect((await post(`/sign-in/${fresh}`)).status).toBe(403);
});

test('behind https the cookie is for https only', async () => {
  const all = await running({ publicUrl: 'https://list.example' });
  const local = `http://127.0.0.1:${all.port}`;
  const body = new URLSearchParams({ userId: ownerId });
  const { headers } = await ask(`${local}/sign-in`, { method: 'POST', body });
  expect(headers.get('set-cookie')).toContain('Secure');
});

test('a notice is one of the known ones, never the text of a link', async () => {
  const { service } = await running();
  expect((await ask(`${service.url}/?notice=voted`)).text).toContain('your vote was counted');
  for (const notice of ['Send%20money', 'toString', '__proto__']) {
    expect((await ask(`${service.url}/?notice=${notice}`)).text).not.toContain('role="status"');
  }
});

test('a client that half-closes its connection gets the response, also when that takes a while', async () => {
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
  const [answer] = answersIn(await closed);
  expect(answer).toMatchObject({ status: 303, head: expect.stringContaining('notice=test-delivered') });
});

/** A page as a browser asks for it that was led here under another name, which fetch would not let through. */
async function statusAt(url: string, host: string, init: { method?: string; body?: string } = {}) {
  const headers = { host, origin: `http://${host}`, 'content-type': 'application/x-www-form-urlencoded' };
  const [response] = await once(request(url, { method: init.method ?? 'GET', headers }).end(init.body), 'response');
  response.resume();
  return { status: response.statusCode, cookie: response.headers['set-cookie'] };
}

test('where anybody may act as a member, no other site can lead a browser here under its own name', async () => {
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

test('where people sign in by link, the proxy in front decides which names lead here', async () => {
  const { service } = await running({ publicUrl: 'https://votes.example', actAsMembers: false });
  expect(await statusAt(`http://127.0.0.1:${service.port}/`, 'service:4000')).toMatchObject({ status: 200 });
});
