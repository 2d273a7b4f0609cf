import { randomBytes } from 'node:crypto';
import { hour, minute } from '@tallyhook/platform/durations';
import { openSqlite } from '@tallyhook/platform/sqlite';
import { fixedDate } from '@tallyhook/platform/testing/fixed-date';
import { expect, test } from 'vitest';
import type { LimitedAction } from '../src/abuse/admission.ts';
import { banMember, liftBan } from '../src/abuse/moderate.ts';
import type { ServiceOptions } from '../src/service.ts';
import { openDatabase } from '../src/storage/database.ts';
import { mira, ownerId, type Running, running, serverId, tobias } from '../testing/running.ts';
import { type Visit, visit } from '../testing/visit.ts';

const votePath = `/servers/${serverId}/vote`;
const limited = (limits: Partial<Record<LimitedAction, { member?: number; address?: number }>>) => {
  const of = (limit = 1_000) => ({ limit, windowMs: 1 * hour });
  return Object.fromEntries(
    Object.entries(limits).map(([action, { member, address }]) => [
      action,
      { member: of(member), address: of(address) },
    ]),
  ) satisfies ServiceOptions['actionLimits'];
};

/** A running service and a session of this member. */
async function started(
  options: Pick<ServiceOptions, 'actionLimits' | 'trustProxy'>,
): Promise<Running & { mira: Visit }> {
  const all = await running(options);
  return { ...all, mira: await visit(all, mira.userId) };
}

const randomIpv4 = () => [...randomBytes(4)].join('.');

async function statuses(times: number, send: () => Promise<{ status: number }>): Promise<number[]> {
  const all: number[] = [];
  for (let time = 0; time < times; time += 1) all.push((await send()).status);
  return all;
}

test('a member who votes too often waits until the window ends, and the page says so', async () => {
  const clock = fixedDate();
  const all = await started({ actionLimits: limited({ vote: { member: 3 } }) });
  const send = () => all.mira.send(votePath, {});
  expect(await statuses(1, send)).toEqual([303]);
  clock.leap(20 * minute);
  expect(await statuses(3, send)).toEqual([303, 303, 429]);
  const refused = await send();
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(39 * 60);
  expect(refused.text).toContain('There were too many votes from you. Please try again in 40 minutes.');
  expect((await (await visit(all, tobias.userId)).send(votePath, {})).status).toBe(303);
  clock.leap(40 * minute);
  expect((await send()).status).toBe(303);
});

test('concurrent forms do not exceed the limit', async () => {
  const all = await started({ actionLimits: limited({ review: { member: 5 } }) });
  const review = { rating: '5', comment: 'Again.' };
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => all.mira.send(`/servers/${serverId}/reviews`, review)),
  );
  expect(answers.filter(({ status }) => status === 303)).toHaveLength(5);
});

test('the address is that of the connection, unless proxies are trusted; an IPv6 network shares a limit', async () => {
  const limits = limited({ vote: { address: 2 } });
  const direct = await started({ actionLimits: limits });
  const from = (all: Running & { mira: Visit }, header: string) =>
    all.mira.send(votePath, {}, { 'X-Forwarded-For': header });
  const spoofed = () => from(direct, randomIpv4());
  expect(await statuses(3, spoofed)).toEqual([303, 303, 429]);
  expect(direct.lines.filter((line) => line.includes('trust-proxy'))).toHaveLength(1);

  const proxied = await started({ actionLimits: limits, trustProxy: 1 });
  const client = (address: string) => () => from(proxied, `${randomIpv4()}, ${address}`);
  expect(await statuses(3, client('198.51.100.7'))).toEqual([303, 303, 429]);
  expect(await statuses(2, client('198.51.100.8'))).toEqual([303, 303]);
  expect(await statuses(1, client('2001:db8:1:2::3'))).toEqual([303]);
  expect(await statuses(2, client('2001:db8:1:2:ffff::4'))).toEqual([303, 429]);
  expect(await statuses(1, client('2001:db8:1:3::3'))).toEqual([303]);
});

test('processes count together, and a restart forgets nothing', async () => {
  const options = { actionLimits: limited({ vote: { member: 4 } }) };
  const one = await started(options);
  const other = await running({ ...options, database: one.database, clock: one.clock });
  const elsewhere = { ...one.mira, send: (await visit(other, mira.userId)).send };
  expect(await statuses(2, () => one.mira.send(votePath, {}))).toEqual([303, 303]);
  expect(await statuses(3, () => elsewhere.send(votePath, {}))).toEqual([303, 303, 429]);
  await Promise.all([one.service.stop(), other.service.stop()]);
  const restarted = await running({ ...options, database: one.database, clock: one.clock });
  const again = await visit(restarted, mira.userId);
  expect((await again.send(votePath, {})).status).toBe(429);
});

test('neither addresses nor ids of members are stored with their counts', async () => {
  const all = await started({ actionLimits: limited({ vote: {} }) });
  expect(await statuses(1, () => all.mira.send(votePath, {}))).toEqual([303]);
  const stored = openSqlite(`${all.database.replace('sqlite:', '')}-limits`, { busyTimeoutMs: 1_000 });
  const keys = stored
    .prepare('select key from rate_limits')
    .all()
    .map(({ key }) => String(key));
  stored.close();
  expect(keys).toHaveLength(3);
  expect(keys.join()).not.toMatch(/127\.0\.0\.1|::1/);
  expect(keys.join()).not.toContain(mira.userId);
});

test('a sign-in link cannot be guessed at any speed', async () => {
  const all = await running({ actionLimits: limited({ 'sign-in': { address: 3 } }) });
  const attempt = () => fetch(`${all.service.url}/sign-in/in_guess`, { method: 'POST' });
  expect(await statuses(4, attempt)).toEqual([403, 403, 403, 429]);
});

test('a banned member can neither vote nor review, in any process and at once, until the ban is lifted', async () => {
  const all = await started({});
  const database = await openDatabase(all.database);
  await banMember(database, { userId: mira.userId, reason: 'Votes for money.', bannedAt: 1 });
  const refused = await all.mira.send(votePath, {});
  expect([refused.status, refused.text.includes('Votes for money.')]).toEqual([403, true]);
  expect((await all.mira.send(`/servers/${serverId}/reviews`, { rating: '1', comment: 'No.' })).status).toBe(403);
  expect(await liftBan(database, mira.userId)).toBe(true);
  await database.destroy();
  expect((await all.mira.send(votePath, {})).headers.get('location')).toContain('notice=voted');
});

test('a banned owner can neither edit, reply nor send webhooks, but can take away what is there', async () => {
  const all = await started({});
  const owner = await visit(all, ownerId);
  const database = await openDatabase(all.database);
  const { id: reviewId } = await database.selectFrom('reviews').select('id').limit(1).executeTakeFirstOrThrow();
  const { id: keyId } = await database
    .selectFrom('keys')
    .select('id')
    .where('listing_id', '=', serverId)
    .executeTakeFirstOrThrow();
  await banMember(database, { userId: ownerId, reason: 'Sells votes.', bannedAt: 1 });
  await database.destroy();
  const dashboard = `/dashboard/${serverId}`;
  const edits = [
    '',
    `/reviews/${reviewId}/reply`,
    '/keys',
    '/webhooks/vote',
    '/webhooks/vote/rotate',
    '/webhooks/vote/test',
  ];
  for (const path of edits) {
    const refused = await owner.send(dashboard + path, { name: 'x', reply: 'x', label: 'x', url: 'http://127.0.0.1/' });
    expect([refused.status, refused.text.includes('Sells votes.')], path).toEqual([403, true]);
  }
  expect((await owner.send(`${dashboard}/keys/${keyId}/revoke`, {})).status).toBe(303);
  expect((await owner.open(`${dashboard}/export`)).status).toBe(200);
  expect((await owner.send(`${dashboard}/delete`, { name: 'Lantern Harbour' })).status).toBe(303);
});

test('an owner who changes a listing without end is stopped', async () => {
  const all = await started({ actionLimits: limited({ edit: { member: 2 }, send: { member: 1 } }) });
  const owner = await visit(all, ownerId);
  const send = (path: string, fields = {}) => owner.send(`/dashboard/${serverId}${path}`, fields);
  expect(await statuses(3, () => send('/keys', { label: 'x' }))).toEqual([200, 200, 429]);
  expect((await send('/webhooks/vote/test')).status).toBe(404);
  expect((await send('/webhooks/vote/test')).status).toBe(429);
  expect((await send('/icon/remove')).status).toBe(303);
});

test('a member can read all own data a few times an hour, also when banned', async () => {
  const all = await started({ actionLimits: limited({ data: { member: 3 } }) });
  const database = await openDatabase(all.database);
  await banMember(database, { userId: mira.userId, reason: 'Insults <b>.', bannedAt: 1 });
  await database.destroy();
  const page = await all.mira.open('/your-data');
  expect(page.text).toContain('Reason: <bdi>Insults &#60;b&#62;.</bdi>');
  const exported = await all.mira.open('/your-data/export');
  expect(exported.json).toMatchObject({ ban: { reason: 'Insults <b>.' } });
  expect((await all.mira.open('/your-data')).status).toBe(200);
  expect((await all.mira.open('/your-data')).status).toBe(429);
  expect((await all.mira.open('/dashboard')).status).toBe(200);
});
