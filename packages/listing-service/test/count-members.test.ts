import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hour, minute, second } from '@tallyhook/platform/durations';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { expect, onTestFinished, test } from 'vitest';
import { createListing, defaultServerFacts } from '../src/actions/create-listing.ts';
import { openDatabase } from '../src/storage/database.ts';
import { findDueInvite, saveCheckedInvite, storeInviteCounts } from '../src/storage/listings/invite-checks.ts';
import { findListing, updateFacts, updateListing } from '../src/storage/listings/listings.ts';
import { takeLease } from '../src/storage/settings.ts';
import { describeOnBothDatabases } from '../testing/databases.ts';
import { leapingClock } from '../testing/leaping-clock.ts';
import { ownerId, type Running, running, serverId } from '../testing/running.ts';
import { visit } from '../testing/visit.ts';

interface DiscordAnswer {
  readonly status: number;
  readonly body?: object;
  readonly retryAfter?: string;
}

const counted = (members: number, online: number, guild = serverId): DiscordAnswer => ({
  status: 200,
  body: {
    guild: { id: guild },
    expires_at: null,
    approximate_member_count: members,
    approximate_presence_count: online,
  },
});
const ended: DiscordAnswer = { status: 404, body: { code: 10006, message: 'Unknown Invite' } };

/** Discord, as far as invites need it. `asked` are the addresses of the requests that ask for counts. */
async function inviteServer() {
  const asked: string[] = [];
  const discord = { answer: counted(10, 4) };
  const server = createServer((request, response) => {
    if (request.url?.includes('with_counts')) asked.push(request.url);
    const { status, body, retryAfter } = discord.answer;
    response.writeHead(status, retryAfter === undefined ? {} : { 'Retry-After': retryAfter });
    response.end(JSON.stringify(body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { discord, asked, application: { clientId: '1', clientSecret: 's', apiUrl: `http://127.0.0.1:${port}/api` } };
}

/** A service whose seeded server has an invite, after its members were counted for the first time. */
async function withInvite(changes: Parameters<typeof running>[0] = {}) {
  const { discord, asked, application } = await inviteServer();
  const all = await running({ discord: application, ...changes });
  const owner = await visit(all, ownerId);
  expect((await owner.send(`/dashboard/${serverId}/invite`, { invite: 'discord.gg/harbour' })).status).toBe(303);
  await pass(all, 10 * second);
  await eventually(() => expect(asked).toHaveLength(1));
  const stats = async () => (await all.get('/server', { 'X-API-Key': all.keys.server })).json['data'];
  return { all, owner, discord, asked, stats };
}

/** Lets this time pass in steps, in each of which the service may ask Discord once. */
async function pass({ clock }: Pick<Running, 'clock'>, ms: number, steps = 1): Promise<void> {
  for (let step = 0; step < steps; step += 1) {
    await clock.advance(ms / steps);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

/** The same for days, in steps of two hours, of which background work sees the last seconds. */
async function passDays({ clock }: Pick<Running, 'clock'>, days: number): Promise<void> {
  for (let step = 0; step < days * 12; step += 1) {
    clock.leap(2 * hour - 10 * second);
    await pass({ clock }, 10 * second);
  }
}

test('members and those online are read once an hour, for the lookup API and the page', async () => {
  const { all, owner, discord, asked, stats } = await withInvite();
  expect(asked[0]).toBe('/api/v10/invites/harbour?with_counts=true');
  await eventually(async () =>
    expect(await stats()).toMatchObject({ memberCount: 10, stats: { members: 10, online: 4 } }),
  );
  discord.answer = counted(12_345, 678);
  await pass(all, 50 * minute, 5);
  expect(asked).toHaveLength(1);
  await pass(all, 11 * minute, 3);
  await eventually(async () => expect(await stats()).toMatchObject({ stats: { members: 12_345, online: 678 } }));
  expect(asked).toHaveLength(2);
  const { text } = await owner.open(`/servers/${serverId}`);
  expect(text).toContain('<dt>Members</dt><dd>12,345</dd>');
  expect(text).toContain('<dt>Online</dt><dd>678</dd>');
  expect((await owner.open(`/dashboard/${serverId}`)).text).toContain('read from Discord once an hour');
});

test('an invite that has ended is noted for the owner, and asked for less and less often', async () => {
  const { all, owner, discord, asked, stats } = await withInvite();
  const dashboard = async () => (await owner.open(`/dashboard/${serverId}`)).text;
  discord.answer = ended;
  await pass(all, 61 * minute, 3);
  await eventually(async () => expect(await dashboard()).toContain('Discord does not know this invite any more'));
  // The last known numbers remain.
  expect(await stats()).toMatchObject({ stats: { members: 10, online: 4 } });
  const before = asked.length;
  await passDays(all, 4);
  expect(asked.length - before).toBeGreaterThan(3);
  expect(asked.length - before).toBeLessThan(8);

  discord.answer = counted(20, 5, '5');
  await owner.send(`/dashboard/${serverId}/invite`, { invite: 'discord.gg/other' });
  discord.answer = counted(20, 5);
  expect((await owner.send(`/dashboard/${serverId}/invite`, { invite: 'discord.gg/again' })).status).toBe(303);
  expect(await dashboard()).not.toContain('Discord does not know');
  discord.answer = counted(20, 5, '5');
  await pass(all, 10 * second);
  await eventually(async () => expect(await dashboard()).toContain('This invite leads to another server now'));
  discord.answer = counted(20, 5);
  await pass(all, 3 * hour, 3);
  await eventually(async () => expect(await dashboard()).not.toContain('leads to another server now'));
  expect(await stats()).toMatchObject({ stats: { members: 20, online: 5 } });
});

test('while Discord refuses, nothing is asked until the time that it says', async () => {
  const { all, owner, discord, asked, stats } = await withInvite();
  discord.answer = { status: 429, retryAfter: '7200' };
  await pass(all, 61 * minute, 2);
  await eventually(() => expect(asked).toHaveLength(2));
  discord.answer = counted(11, 5);
  await pass(all, 119 * minute, 20);
  expect(asked).toHaveLength(2);
  await pass(all, 2 * minute, 2);
  await eventually(async () => expect(await stats()).toMatchObject({ stats: { members: 11, online: 5 } }));
  expect((await owner.open(`/dashboard/${serverId}`)).text).not.toContain('class="bad"');
});

test('an outage of Discord is no fault of the invite', async () => {
  const { all, owner, discord, asked } = await withInvite();
  for (const answer of [{ status: 500 }, { status: 200, body: { guild: { id: serverId } } }, { status: 403 }]) {
    discord.answer = answer;
    const before = asked.length;
    await pass(all, 61 * minute, 2);
    await eventually(() => expect(asked.length).toBeGreaterThan(before));
  }
  expect((await owner.open(`/dashboard/${serverId}`)).text).not.toContain('class="bad"');
  expect(all.lines.join()).toContain('the members of a server were not counted');
});

test('without its invite, a server is not asked for', async () => {
  const { all, owner, asked } = await withInvite();
  await owner.send(`/dashboard/${serverId}/invite`, { invite: '' });
  await pass(all, 3 * hour, 6);
  expect(asked).toHaveLength(1);
});

test('of two processes, one asks for the servers, one after the other, and both wait as long as Discord says', async () => {
  const { discord, asked, application } = await inviteServer();
  const clock = leapingClock();
  const all = await running({ discord: application, clock });
  const { database: address } = all;
  await running({ discord: application, clock, database: address });
  const database = await openDatabase(address);
  const ids = Array.from({ length: 12 }, (_, index) => `${index + 1}`);
  discord.answer = counted(3, 1, 'another');
  for (const id of ids) {
    await createListing(database, { kind: 'server', discordId: id, name: id }, clock.now());
    await saveCheckedInvite(database, { id, kind: 'server' }, `https://discord.com/invite/of-${id}`, clock.now());
  }
  await database.destroy();
  await pass(all, 10 * second);
  expect(asked.length).toBeLessThan(3);
  await pass(all, 20 * second, 20);
  await eventually(() => expect(new Set(asked).size).toBe(12));
  expect(asked).toHaveLength(12);
  discord.answer = { status: 429, retryAfter: '7200' };
  // They lead to another server, so they are asked for again after two hours.
  await pass(all, 119 * minute);
  await pass(all, 2 * minute, 24);
  expect(asked).toHaveLength(13);
  await pass(all, 110 * minute, 20);
  expect(asked).toHaveLength(13);
});

describeOnBothDatabases('the numbers of a server', (newDatabase) => {
  test('do not replace what its owner edits meanwhile, and belong to its current invite', async () => {
    const one = await openDatabase(newDatabase());
    const now = 1_000_000;
    await createListing(one, { kind: 'server', discordId: '5', name: 'Harbour' }, now);
    const invite = 'https://discord.com/invite/harbour';
    await saveCheckedInvite(one, { id: '5', kind: 'server' }, invite, now);
    const due = await findDueInvite(one, now);
    expect(due).toEqual({ id: '5', invite, failures: 0 });
    const before = await findListing(one, '5');
    if (due === null || before?.kind !== 'server') throw new Error('The server is missing.');
    await updateListing(one, { ...before, facts: { ...before.facts, rules: ['Be kind.'] } }, now);
    await storeInviteCounts(one, due, { members: 7, online: 2 }, now);
    const facts = async () => (await findListing(one, '5'))?.facts;
    expect(await facts()).toEqual({ ...defaultServerFacts, rules: ['Be kind.'], members: 7, online: 2 });
    await saveCheckedInvite(one, { id: '5', kind: 'server' }, `${invite}2`, now);
    await storeInviteCounts(one, due, { members: 9, online: 9 }, now);
    expect(await facts()).toMatchObject({ members: 7, online: 2 });
    // The new invite is due at once, also if the one before was asked for just now.
    expect(await findDueInvite(one, now)).toMatchObject({ invite: `${invite}2` });
    expect(await one.transaction().execute((sql) => updateFacts(sql, '5', 'bot', { servers: 1 }))).toBeNull();
    await one.destroy();
  });

  test('are read by one process at a time, and by another when it has ended, or the clock was set back', async () => {
    const address = newDatabase();
    const [one, other] = [await openDatabase(address), await openDatabase(address)];
    const now = 1_000_000_000_000;
    const take = (database: typeof one, holder: string, at: number) =>
      takeLease(database, 'a task', { holder, now: at, until: at + minute });
    expect((await Promise.all([take(one, 'one', now), take(other, 'other', now)])).toSorted()).toEqual([false, true]);
    const [holder, waiting] = (await take(one, 'one', now)) ? ['one', 'other'] : ['other', 'one'];
    expect(await take(one, holder ?? '', now + 30 * second)).toBe(true);
    expect(await take(other, waiting ?? '', now + 89 * second)).toBe(false);
    expect(await take(other, waiting ?? '', now + 91 * second)).toBe(true);
    expect(await take(one, holder ?? '', now + 92 * second)).toBe(false);
    expect(await take(one, holder ?? '', now - 48 * hour)).toBe(true);
    await Promise.all([one.destroy(), other.destroy()]);
  });
});
