import { randomUUID } from 'node:crypto';
import { sharedByTests } from '@tallyhook/platform/testing/on-finished';
import { readRows, type StoredRow } from '@tallyhook/platform/testing/read-rows';
import { expect, describe as group, it, vi } from 'vitest';
import { setup } from '../../commands/setup.ts';
import { tokenScopes } from '../../src/features/tokens/store.ts';
import { routes } from '../../src/owner/api-routes.ts';
import { premiumKinds, voteKinds } from '../../src/webhook/event.ts';
import { sign } from '../../src/webhook/signature.ts';
import { signDelivery } from '../../src/webhook/sites/authenticate.ts';
import { linkableSites } from '../../src/webhook/sites/index.ts';
import type { Site } from '../../src/webhook/sites/site.ts';
import { environmentWith, harbour } from '../support/listings-file.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';
import { ownerToken, startTwoCommunities } from '../support/two-communities.ts';

type Side = 'harbour' | 'bees';
type Json = Readonly<Record<string, unknown>>;

const minute = 60_000;
const day = 24 * 60 * minute;
const buyer = '318044130796109825';
const thief = '205680187394752512';
const targets = { harbour: '810000000000000001', bees: '820000000000000002' };
const bots = { harbour: '830000000000000003', bees: '840000000000000004' };
/** Without order ids: the body is all that identifies it. */
const purchaseWithoutOrder = { event: 'premium_purchase', buyer: { userId: buyer }, timestamp: '2026-01-02T00:00:00Z' };
const secretOf = (side: Side, family: string) => `${family}-secret-of-the-${side}`;

/** Of the whole installation, and counted or registered while the program runs. */
const common = ['installation', 'registered_commands', 'vote_counts'];
/** What of effects changes by itself while the program runs. */
const attempts = ['state', 'attempts', 'due_at', 'finished_at', 'nonce', 'reason', 'unsure_since'];

function listingsOf(side: Side, guildId: string) {
  const own = { kind: 'server', guildId, timeZone: 'UTC' };
  const secrets = { voteSecrets: [secretOf(side, 'vote')], premiumSecrets: [secretOf(side, 'premium')] };
  const rewards = { premiumRoles: { '*': guildId.replace(/.$/, '9') } };
  return [
    { ...harbour, ...own, name: side, id: targets[side], lookupKey: `key-of-the-${side}`, ...secrets, rewards },
    // Its site does not answer, so its votes wait.
    {
      ...{ ...own, name: `${side}-place`, kind: 'bot', id: bots[side], site: 'discordplace' },
      siteKey: `site-key-of-the-${side}`,
      ...{ confirm: true, voteSecrets: [secretOf(side, 'place')] },
    },
  ];
}

/** Mira manages the harbour, Aiko the bees. Neither manages the other one. */
async function startWorld() {
  const databaseUrl = newSqliteUrl();
  const world = await startTwoCommunities(({ harbour: first, bees: second }) => {
    const { TALLYHOOK_CONFIG = '' } = environmentWith([...listingsOf('harbour', first), ...listingsOf('bees', second)]);
    return { TALLYHOOK_CONFIG, DATABASE_URL: databaseUrl, SITE_API_URL: 'http://127.0.0.1:9' };
  });
  const { url, guilds, mira, aiko } = world;

  async function post(path: string, body: string, headers: Readonly<Record<string, string>>): Promise<Json> {
    const response = await fetch(`${url}/webhooks${path}`, { method: 'POST', body, headers });
    return (await response.json()) as Json;
  }
  const deliver = (side: Side, family: string, payload: object, path = `/${family}`) => {
    const body = JSON.stringify(payload);
    return post(path, body, { 'x-webhook-signature': sign(body, secretOf(side, family)) });
  };

  async function operator(path: string, body?: object, headers: Readonly<Record<string, string>> = {}) {
    const response = await fetch(`${url}/owner/api/${path}`, {
      headers: { authorization: `Bearer ${ownerToken}`, ...headers },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    return { status: response.status, json: (await response.json()) as Json };
  }
  const rowsAt = async (path: string, name: string) => (await operator(path)).json[name] as readonly Json[];

  async function manager(side: Side, userId: string) {
    const browser = world.openBrowser();
    await browser.signIn(userId);
    const root = `servers/${guilds[side]}/`;
    const token = await browser.formToken(root);
    const send = (path: string, fields: Readonly<Record<string, string>> = {}) =>
      browser.send(`${root}${path}`, { token, ...fields });
    return {
      send,
      act: (action: string, fields: Readonly<Record<string, string>> = {}) =>
        send('settings', { a: action, i: randomUUID(), ...fields }),
      /** Links a listing on a site, and returns its name. */
      async link(site: Site, secret: string): Promise<string> {
        const linked = await this.act('site-linked', {
          ...{ 'o.w': site.id, 'o.k': site.kinds.includes('server') ? 'server' : 'bot' },
          ...{ 't.botId': targets[side], 't.secret': secret },
        });
        const [, name = ''] = /webhooks\/([\w-]+)/.exec(linked.text) ?? [];
        expect(name, linked.text).toContain(site.id);
        return name;
      },
    };
  }
  const managers = { harbour: await manager('harbour', mira.id), bees: await manager('bees', aiko.id) };
  return { ...world, post, deliver, operator, rowsAt, managers, databaseUrl, balance, rowsOf };

  async function balance(side: Side, userId: string): Promise<unknown> {
    const { json } = await operator(`users/${userId}?guildId=${guilds[side]}`);
    return json['credits'];
  }

  /** Every row that names the community: its guild, its listings, or an account in it. */
  async function rowsOf(side: Side): Promise<readonly string[]> {
    const linked = await readRows(databaseUrl, 'setting_values');
    const own = linked.filter((row) => row['guild_id'] === guilds[side]).map(({ listing }) => listing ?? '');
    const marks = new Set([guilds[side], side, `${side}-place`, ...own.filter((name) => name !== '')]);
    const isOwn = (text: string | null) => text?.split(/[^\w-]+/).some((word) => marks.has(word)) === true;
    const rows: string[] = [];
    for (const { name } of await readRows(databaseUrl, "sqlite_master where type = 'table'")) {
      if (!name || name.startsWith('sqlite_') || common.includes(name)) continue;
      const stored = await readRows(databaseUrl, `"${name}"`);
      // A body is what somebody has sent, whomever it names.
      for (const { body = null, ...row } of stored) {
        if (Object.values(row).some(isOwn)) rows.push(`${name} ${JSON.stringify({ ...still(name, row), body })}`);
      }
    }
    return rows.sort();
  }

  function still(table: string, row: StoredRow): StoredRow {
    if (table !== 'effects') return row;
    return Object.fromEntries(Object.entries(row).filter(([column]) => !attempts.includes(column)));
  }
}

/** The bees have something of everything, and rows that must not change. */
async function startWithBees() {
  const world = await startWorld();
  const { deliver, post, operator, managers, clock, guilds, rowsAt } = world;
  const vote = {
    event: 'server_vote',
    serverId: targets.bees,
    userId: buyer,
    timestamp: new Date(clock.now()).toISOString(),
  };
  expect(await deliver('bees', 'vote', vote)).toMatchObject({ outcome: 'recorded' });
  expect(await deliver('bees', 'vote', { ...vote, event: 'of_tomorrow' })).toMatchObject({ outcome: 'quarantined' });
  const purchase = { event: 'premium_purchase', buyer: { userId: buyer }, orderId: 'order-of-old' };
  expect(await deliver('bees', 'premium', purchase)).toMatchObject({ outcome: 'recorded' });
  const place = { bot: bots.bees, user: thief, test: false };
  const held = await post('/bees-place', JSON.stringify(place), { authorization: secretOf('bees', 'place') });
  expect(held).toMatchObject({ outcome: 'recorded' });
  const correction = { credits: 3, reason: 'old', guildId: guilds.bees };
  expect((await operator(`users/${buyer}/corrections`, correction, { 'idempotency-key': 'old' })).status).toBe(201);
  const [site] = linkableSites;
  if (site === undefined) throw new Error('no site');
  await managers.bees.link(site, 'secret-of-the-linked-bees');
  expect((await managers.bees.act('submit', { 'o.f': 'credits', 'o.l': 'bees', 't.vote': '15' })).text).toContain(
    '<strong>15</strong>',
  );
  const token = await operator(`tokens?guildId=${guilds.bees}`, { name: 'theirs', scopes: ['read'] });
  const deliveries = await rowsAt('deliveries?limit=100', 'deliveries');
  const effects = await rowsAt('effects?limit=100', 'effects');
  const changes = await readRows(world.databaseUrl, 'setting_changes');
  const idsOf = (rows: readonly Json[]) => rows.map(({ id }) => String(id));
  // A report of the installation may still be written.
  await vi.waitFor(async () => expect(await world.rowsOf('bees')).toEqual(await world.rowsOf('bees')));
  return {
    ...world,
    ofBees: {
      deliveries: idsOf(deliveries),
      effects: idsOf(effects),
      changes: idsOf(changes),
      tokens: [String(token.json['id'])],
    },
    before: await world.rowsOf('bees'),
  };
}

group('the manager of one server, with the secrets of its listings', { timeout: 120_000 }, () => {
  const started = sharedByTests(startWithBees);
  const unchanged = async () => expect(await started().rowsOf('bees')).toEqual(started().before);

  it('changes nothing of another one with deliveries of any kind that name it', async () => {
    const { deliver, clock } = started();
    const common = { serverId: targets.bees, guildId: started().guilds.bees, creditsAwarded: 1_000_000 };
    const order = { orderId: 'order-to-come', purchaseId: 'order-of-old', currentPeriodEnd: '2027-01-01T00:00:00Z' };
    for (const path of ['', '/harbour']) {
      for (const event of voteKinds) {
        for (const ahead of [0, 10 * minute]) {
          const timestamp = new Date(clock.now() + ahead).toISOString();
          await deliver('harbour', 'vote', { event, ...common, userId: thief, timestamp }, `${path}/vote`);
        }
      }
      for (const event of premiumKinds) {
        const who = { buyer: { userId: thief }, timestamp: new Date(clock.now()).toISOString() };
        const { outcome } = await deliver(
          'harbour',
          'premium',
          { event, ...common, ...order, ...who },
          `${path}/premium`,
        );
        expect(outcome).toMatch(/recorded|duplicate|quarantined/);
      }
    }
    expect(await deliver('harbour', 'premium', purchaseWithoutOrder)).toMatchObject({ outcome: 'recorded' });
    await unchanged();
  });

  it('changes nothing of another one with listings on any site, their unlinking, and replays', async () => {
    const { managers, post, operator, rowsAt, clock } = started();
    const vote = { event: 'server_vote', serverId: targets.bees, userId: thief, creditsAwarded: 1_000_000 };
    for (const [index, site] of linkableSites.entries()) {
      const secret = `${site.setup.secretPrefix ?? ''}secret-of-${site.id}`;
      const name = await managers.harbour.link(site, secret);
      const times = [clock.now() - (index + 2) * day, clock.now() + 6 * minute];
      for (const at of times) {
        const voted_on_iso = new Date(at).toISOString();
        const forged = JSON.stringify({ ...vote, timestamp: voted_on_iso, voted_on_iso, created_at: voted_on_iso });
        const [scheme] = site.schemes;
        const { headers, body } = signDelivery(scheme, forged, secret, clock.now());
        expect(await post(`/${name}`, body, headers)).toHaveProperty('outcome');
      }
      expect((await managers.harbour.act('unlinked', { 'o.l': name })).status).toBe(200);
    }
    // Votes whose time is reached are replayed by the program itself.
    clock.advance(12 * minute);
    await vi.waitFor(
      async () => {
        const reasons = (await rowsAt('deliveries?outcome=quarantined&limit=100', 'deliveries')).map(
          ({ reason }) => reason,
        );
        expect(reasons).not.toContain('timestamp is more than 5 minutes ahead');
      },
      { timeout: 60_000, interval: 500 },
    );
    const stored = await rowsAt('deliveries?outcome=quarantined&limit=100', 'deliveries');
    const own = stored.filter(({ id }) => !started().ofBees.deliveries.includes(String(id)));
    expect(own.length).toBeGreaterThanOrEqual(linkableSites.length);
    for (const { id } of own) {
      await managers.harbour.send(`deliveries/${String(id)}/replay`);
      await operator(`deliveries/${String(id)}/replay`, {});
    }
    await unchanged();
    const left = await rowsAt('deliveries?outcome=quarantined&limit=100', 'deliveries');
    expect(left.filter(({ reason }) => reason === 'its listing is not configured any more').length).toBe(
      own.filter(({ listing }) => listing !== 'harbour').length,
    );
  });

  it('changes nothing of another one with the forms of the dashboard', async () => {
    const { managers, guilds, ofBees } = started();
    const { send, act } = managers.harbour;
    const fields = { credits: '5', reason: 'stolen', key: 'contest-2026-1', guildId: guilds.bees };
    for (const userId of [buyer, thief]) await send(`users/${userId}/corrections`, fields);
    for (const id of ofBees.deliveries) await send(`deliveries/${id}/replay`);
    for (const id of ofBees.effects) await send(`effects/${id}/replay`);
    const range = { from: '2020-01-01T00:00', until: '2030-01-01T00:00', confirmed: '1' };
    for (const name of ['bees', 'bees-place']) {
      for (const path of ['release', 'reject', 'reversals']) await send(`listings/${name}/${path}`, range);
      for (const action of setup.actions) {
        const forged = {
          'o.l': name,
          'o.f': 'credits',
          'o.s': 'rewards',
          't.vote': '999',
          't.secret': 'secret-of-mira',
        };
        for (const id of action === 'undo' ? ofBees.changes : ['']) await act(action, { ...forged, 'o.id': id });
      }
    }
    await unchanged();
  });

  it('changes and reads nothing of another one with a token for every scope', async () => {
    const { operator, guilds, ofBees, url } = started();
    const created = await operator(`tokens?guildId=${guilds.harbour}`, { name: 'all', scopes: [...tokenScopes] });
    const headers = { authorization: `Bearer ${String(created.json['token'])}` };
    const range = { from: '2020-01-01', until: '2030-01-01' };
    const changes = [{ listing: 'bees', path: 'rewards.vote', value: 999 }];
    const body = { guildId: guilds.bees, credits: 5, reason: 'stolen' };
    const bodies: Readonly<Record<string, object>> = {
      '/users/:userId/corrections': body,
      '/listings/:listing/reversals': range,
      '/settings': { version: 0, changes },
      '/tokens': { name: 'more', scopes: ['read'] },
    };
    for (const route of routes) {
      const { method, path, query, params } = route;
      if ('stream' in route || (query === undefined && params === undefined)) continue;
      const [, kind = ''] = /^\/(effects|tokens|deliveries)\b/.exec(path) ?? [];
      const ids = { effects: ofBees.effects, tokens: ofBees.tokens, deliveries: ofBees.deliveries }[kind] ?? ['1', '2'];
      const named = [`?guildId=${guilds.bees}`, ...(/:(id|listing)/.test(path) ? [''] : [])];
      for (const id of (path.includes(':id') ? ids : ['']).flatMap((each) => named.map((name) => [each, name]))) {
        const filled =
          path
            .replace(':id', id[0] ?? '')
            .replace(':userId', buyer)
            .replace(':listing', 'bees') + id[1];
        const response = await fetch(`${url}/owner/api${filled}`, {
          method: method.toUpperCase(),
          headers,
          ...(method !== 'get' && { body: JSON.stringify(bodies[path] ?? {}) }),
        });
        const text = await response.text();
        expect([400, 404], `${method} ${filled} ${text}`).toContain(response.status);
        expect(text, filled).not.toContain(buyer);
      }
    }
    for (const query of ['listing=bees', `user=${buyer}`]) {
      const response = await fetch(`${url}/owner/api/deliveries?${query}`, { headers });
      const { deliveries } = (await response.json()) as { deliveries: readonly Json[] };
      expect(
        deliveries.filter(({ id }) => ofBees.deliveries.includes(String(id))),
        query,
      ).toEqual([]);
    }
    await unchanged();
  });

  it('takes nothing of another one by being first', async () => {
    const { managers, deliver, operator, guilds, balance, clock } = started();
    const { send } = managers.harbour;
    // A key that a program of the bees will use, and the id of their next change.
    const first = { credits: '5', reason: 'first', key: 'contest-2026-1' };
    expect((await send(`users/${thief}/corrections`, first)).status).toBe(303);
    await managers.harbour.act('submit', { 'o.f': 'credits', 'o.l': 'harbour', 't.vote': '11', i: 'the-next-change' });

    const paid = async () => Number(await balance('bees', buyer));
    const start = await paid();
    const correction = { credits: 4, reason: 'contest', guildId: guilds.bees };
    const keyed = await operator(`users/${buyer}/corrections`, correction, { 'idempotency-key': 'contest-2026-1' });
    expect([keyed.status, await paid()]).toEqual([201, start + 4]);
    const timestamp = new Date(clock.now()).toISOString();
    const purchase = { event: 'premium_purchase', orderId: 'order-to-come', buyer: { userId: buyer }, timestamp };
    expect(await deliver('bees', 'premium', purchase)).toMatchObject({ outcome: 'recorded' });
    expect(await paid()).toBe(start + 104);
    const renewal = { ...purchase, event: 'subscription.renewed', currentPeriodEnd: '2027-02-01T00:00:00Z' };
    expect(await deliver('bees', 'premium', renewal)).toMatchObject({ outcome: 'recorded' });
    expect([await paid(), await balance('bees', thief)]).toEqual([start + 204, 0]);
    expect(await deliver('bees', 'premium', purchaseWithoutOrder)).toMatchObject({ outcome: 'recorded' });
    expect(await paid()).toBe(start + 304);
    const grants = (await readRows(started().databaseUrl, 'grants')).filter((row) => row['guild_id'] === guilds.bees);
    expect(new Set(grants.map((row) => row['user_id']))).toEqual(new Set([buyer]));
    expect(grants.every((row) => row['until'] !== '0')).toBe(true);
    // The time and the member of a vote for the other one.
    const vote = { event: 'server_vote', serverId: targets.bees, userId: thief, timestamp };
    await deliver('harbour', 'vote', vote);
    expect(await deliver('bees', 'vote', vote)).toMatchObject({ outcome: 'recorded' });
    expect(await balance('bees', thief)).toBe(15);
    const changed = await managers.bees.act('submit', {
      ...{ 'o.f': 'credits', 'o.l': 'bees', 't.vote': '12', i: 'the-next-change' },
    });
    expect(changed.text).toContain('<strong>12</strong>');
  });
});
