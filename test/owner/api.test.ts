import { hour, minute } from '@tallyhook/platform/durations';
import { describe, expect, it } from 'vitest';
import { createPseudonym } from '../../src/core/ledger/account.ts';
import { createReplay } from '../../src/core/receiving/replay.ts';
import { forgetMember } from '../../src/features/member-data/store.ts';
import { claimDue } from '../support/claim-due.ts';
import { accountOf, addCommunity, firstCommunity } from '../support/communities.ts';
import { serverAndBot } from '../support/listings.ts';
import { start, startOwnerServer, vote, votedAt } from '../support/owner-server.ts';
import { rolesQueue } from '../support/queues.ts';
import { deposit, keys, orderOf, ownerChannelId, shout } from '../support/shop-store.ts';

const replay = { method: 'POST' };

describe('the owner API', () => {
  it('rejects requests without the token', async () => {
    const { request } = await startOwnerServer();
    const wrong = ['', 'the-owner-token', 'Bearer the-owner-toke', 'Bearer the-owner-token2', 'Bearer '];
    for (const authorization of wrong) {
      const { status, json } = await request('/summary', { authorization });
      expect({ status, json }, authorization).toMatchObject({ status: 401, json: { success: false } });
    }
    expect((await request('/summary')).status).toBe(200);
  });

  it('explains that a delivery with a future timestamp is replayed automatically, and then that it was', async () => {
    const { request, post, store, clock } = await startOwnerServer();
    const timestamp = new Date(start + hour).toISOString();
    await post('/webhooks/vote', { event: 'server_vote', userId: '7', timestamp });
    const waiting = await request('/deliveries/1');
    expect(waiting.json).toMatchObject({
      why: expect.stringContaining('will be replayed automatically at that time'),
    });
    await clock.advance(hour);
    const replayNow = createReplay({ listings: () => serverAndBot(), recorder: store.recorder, clock });
    const [quarantined] = await store.records.deliveries({ limit: 1, before: null });
    if (quarantined === undefined) throw new Error('not quarantined');
    await replayNow(quarantined);
    expect((await request('/deliveries/1')).json['timeline']).toMatchObject([
      { what: 'received', at: new Date(start).toISOString() },
      { what: 'held back', at: new Date(start).toISOString() },
      { what: 'recorded', at: timestamp },
      { what: 'entry', at: timestamp },
      { what: 'effect waiting' },
    ]);
  });

  it('forbids caching of all responses', async () => {
    const { request } = await startOwnerServer();
    for (const path of ['/summary', '/users/1', '/nothing']) {
      expect((await request(path)).headers.get('cache-control'), path).toBe('no-store');
    }
    expect((await request('/summary', { authorization: '' })).headers.get('cache-control')).toBe('no-store');
  });

  it("returns a member's account with all entries and their causes in pages", async () => {
    const { post, request } = await startOwnerServer();
    await post('/webhooks/vote', vote);
    await post('/webhooks/vote', { ...vote, timestamp: '2025-12-31T23:30:00Z' });
    const { json } = await request('/users/42?limit=1');
    expect(json).toMatchObject({
      ...{ userId: '42', credits: 10, votes: 1, lastVoteAt: votedAt, nextVoteAt: '2026-01-01T11:00:00.000Z' },
      entries: [{ cause: 'within_cooldown', credits: 0 }],
    });
    expect((await request(`/users/42?limit=1&before=${String(json['next'])}`)).json).toMatchObject({
      entries: [{ cause: 'vote', credits: 10, at: votedAt, deliveryId: 1 }],
      next: null,
    });
    expect((await request('/users/43')).json).toMatchObject({
      ...{ userId: '43', credits: 0, votes: 0, lastVoteAt: null, nextVoteAt: null },
      ...{ entries: [], unpaid: [], next: null },
    });
  });

  it('returns so many entries of a member at once that programs can add them up', async () => {
    const { request, store } = await startOwnerServer();
    for (let index = 0; index < 120; index += 1) {
      const correction = { communityId: firstCommunity, userId: '42', credits: 1 + index, reason: 'test', at: start };
      await store.recorder.correct(correction, String(index));
    }
    const { json } = await request('/users/42');
    const entries = json['entries'] as readonly { readonly credits: number }[];
    expect(entries.reduce((sum, { credits }) => sum + credits, 0)).toBe(json['credits']);
  });

  // Programs may request a member before the first vote, so an unknown member is not an error.
  it('returns the same for a forgotten member as for one that it has never seen', async () => {
    const { post, store, url } = await startOwnerServer();
    const [forgotten, other] = ['613425648685547541', '613425648685547542'];
    await post('/webhooks/vote', { ...vote, userId: forgotten });
    await post('/webhooks/vote', { ...vote, userId: forgotten });
    await post('/webhooks/vote', { ...vote, userId: forgotten, creditsAwarded: -1 });
    await post('/webhooks/vote', { ...vote, userId: '42' });
    const reason = `a present of <@${forgotten}>`;
    await store.recorder.correct(
      { communityId: firstCommunity, userId: forgotten, credits: 5, reason, at: start },
      'key',
    );
    const textOf = async (path: string) => {
      const response = await fetch(`${url}/owner/api${path}`, { headers: { authorization: 'Bearer the-owner-token' } });
      return `${response.status} ${await response.text()}`;
    };
    const paths = (userId: string) => [
      ...[`/users/${userId}`, `/users/${userId}?guildId=9`, `/users/${userId}?limit=1&before=99`],
      ...[`/deliveries?user=${userId}`, `/deliveries?user=${userId}&outcome=quarantined`],
    ];
    const states = ['/effects', '/effects?state=done', '/effects?state=buried'];
    const lists = ['/deliveries', ...states, '/leaderboard', '/summary'];
    expect(await textOf(`/users/${forgotten}`)).toContain('"credits":15');
    expect(await textOf('/deliveries')).toContain(forgotten);

    await forgetMember(store.memberData, forgotten, { pseudonym: createPseudonym(), now: start, keepVotesMs: hour });
    const paired = paths(forgotten).map((path, index) => [path, paths(other)[index] ?? ''] as const);
    for (const [ofForgotten, ofOther] of paired) {
      expect((await textOf(ofForgotten)).replaceAll(forgotten, other), ofForgotten).toBe(await textOf(ofOther));
    }
    for (const path of lists) expect(await textOf(path), path).not.toContain(forgotten);
  });

  it("returns a member's rank, streak, roles and reminder", async () => {
    const { post, request, store } = await startOwnerServer();
    await post('/webhooks/vote', vote);
    const remindedUserId = '77';
    await store.reminders.switchOn(accountOf(remindedUserId), [], start);
    await post('/webhooks/vote', { ...vote, userId: remindedUserId, timestamp: '2025-12-30T23:00:00Z' });
    await store.recorder.correct(
      { communityId: firstCommunity, userId: remindedUserId, credits: 5, reason: 'test', at: start },
      'key',
    );
    expect((await request('/users/42')).json).toMatchObject({
      ...{ rank: 2, streak: { days: 1, endsAt: '2026-01-02T00:00:00.000Z' }, grants: [], reminder: false },
    });
    expect((await request(`/users/${remindedUserId}`)).json).toMatchObject({
      rank: 1,
      streak: { days: 0, endsAt: null },
      reminder: true,
      entries: [
        { cause: 'correction', credits: 5, reason: 'test', at: '2026-01-01T00:00:00.000Z' },
        { cause: 'vote', credits: 10, reason: null },
      ],
    });
    expect((await request('/users/43')).json).toMatchObject({ rank: null, streak: { days: 0, endsAt: null } });
  });

  it('returns the roles that last with their ends', async () => {
    const grants = [
      { role: '70', until: start + hour },
      { role: '71', until: null },
    ];
    const { store } = await startOwnerServer();
    const standings = store.standingsIn(firstCommunity, 'UTC');
    const { request } = await startOwnerServer({
      standings: {
        ...standings,
        standing: async (userId, now) => ({ ...(await standings.standing(userId, now)), grants }),
      },
    });
    expect((await request('/users/42')).json['grants']).toEqual([
      { role: '70', until: '2026-01-01T01:00:00.000Z' },
      { role: '71', until: null },
    ]);
  });

  it('has to name one of several communities, which are then listed; without a guild it is called none', async () => {
    const { post, request, store } = await startOwnerServer({ guildId: '9' });
    await post('/webhooks/vote', vote);
    const communityId = await addCommunity(store, '9');
    const correction = { userId: '42', communityId, credits: 5, reason: 'test', at: start };
    await store.recorder.correct(correction, 'key');
    const correct = (guildId?: string) =>
      request('/users/42/corrections', { method: 'POST', body: { guildId, credits: -5, reason: 'back' } });
    const known = 'none (server, bot); 9 (hosted).';
    for (const response of [await request('/users/42'), await request('/leaderboard'), await correct()]) {
      expect(response).toMatchObject({ status: 400, json: { error: expect.stringContaining(known) } });
    }
    for (const response of [
      await request('/users/42?guildId=8'),
      await request('/leaderboard?guildId=8'),
      await correct('8'),
    ]) {
      expect(response).toMatchObject({ status: 404, json: { error: expect.stringContaining(known) } });
    }
    expect((await request('/users/42?guildId=none')).json).toMatchObject({ credits: 10, votes: 1 });
    expect((await request('/users/42?guildId=9')).json).toMatchObject({ credits: 5, votes: 0, entries: [{}] });
    expect((await request('/leaderboard?guildId=none')).json).toMatchObject({ members: [{ userId: '42', score: 10 }] });
    expect(await correct('9')).toMatchObject({ status: 201, json: { credits: 0 } });
    expect((await request('/leaderboard?guildId=9')).json).toMatchObject({ members: [] });
    expect(await correct('none')).toMatchObject({ status: 201, json: { credits: 5 } });
    expect((await request('/users/42?guildId=none')).json).toMatchObject({ credits: 5, votes: 1 });
  });

  it('returns leaderboards with shared ranks, in pages', async () => {
    const { post, request } = await startOwnerServer();
    const timestamp = '2026-01-01T00:00:00Z';
    for (const userId of ['7', '42', '300']) await post('/webhooks/vote', { ...vote, userId, timestamp });
    await post('/webhooks/vote', { ...vote, userId: '300', timestamp: '2025-12-30T12:00:00Z' });
    const asOf = new Date(start).toISOString();
    const first = await request('/leaderboard?period=week&by=votes&limit=2');
    expect(first).toMatchObject({ status: 200 });
    expect(first.json).toEqual({
      ...{ period: 'week', by: 'votes' },
      members: [
        { userId: '300', score: 2, rank: 1 },
        { userId: '7', score: 1, rank: 2 },
      ],
      ...{ total: 3, asOf, next: 2 },
    });
    expect((await request('/leaderboard?period=week&by=votes&limit=2&before=2')).json).toMatchObject({
      members: [{ userId: '42', score: 1, rank: 2 }],
      next: null,
    });
    expect((await request('/leaderboard?period=month')).json).toMatchObject({
      ...{ period: 'month', by: 'credits' },
      members: [
        { userId: '7', score: 10, rank: 1 },
        { userId: '42', score: 10, rank: 1 },
        { userId: '300', score: 10, rank: 1 },
      ],
    });
    expect((await request('/leaderboard')).json).toMatchObject({ period: 'all', by: 'credits', total: 3 });
    expect((await request('/leaderboard?by=streak')).json).toMatchObject({ by: 'streak', total: 3 });
    expect((await request('/leaderboard?before=3')).json).toMatchObject({ members: [], total: 3, next: null });
  });

  it('returns deliveries of a member that paid nothing: duplicates and quarantined ones', async () => {
    const { post, request } = await startOwnerServer();
    await post('/webhooks/vote', vote);
    await post('/webhooks/vote', vote);
    await post('/webhooks/vote', { event: 'surprise', voter: { userId: '42' } });
    await post('/webhooks/vote', '{"event":"surprise","userId":42}');
    await post('/webhooks/vote', { event: 'surprise', userId: '142', other: 421 });
    expect((await request('/users/42')).json['unpaid']).toMatchObject([
      { id: 4, outcome: 'quarantined' },
      { id: 3, outcome: 'quarantined', why: expect.stringContaining('unknown kind of event') },
      { id: 2, outcome: 'duplicate', why: expect.stringContaining('recorded before') },
    ]);
  });

  it('lists deliveries by outcome and effects by state, in pages', async () => {
    const { post, request, store } = await startOwnerServer();
    await post('/webhooks/vote', vote);
    await post('/webhooks/vote', vote);
    await post('/webhooks/vote', { event: 'surprise' });
    expect((await request('/deliveries?limit=3')).json['next']).toBe(null);
    const { json } = await request('/deliveries?limit=2');
    expect(json).toMatchObject({ deliveries: [{ outcome: 'quarantined' }, { outcome: 'duplicate' }] });
    expect((await request(`/deliveries?limit=2&before=${String(json['next'])}`)).json).toEqual({
      deliveries: [
        {
          ...{ id: 1, receivedAt: '2026-01-01T00:00:00.000Z', family: 'vote', listing: 'server' },
          ...{ kind: 'server_vote', outcome: 'recorded', reason: null, userId: '42', credits: 10 },
          body: JSON.stringify(vote),
        },
      ],
      next: null,
    });
    expect((await request('/deliveries?outcome=duplicate')).json).toMatchObject({
      deliveries: [{ id: 2, outcome: 'duplicate', credits: 0 }],
    });
    expect((await request('/effects?state=waiting')).json).toMatchObject({
      effects: [{ id: 1, kind: 'announcement', state: 'waiting', attempts: 0, reason: null, deliveryId: 1 }],
      next: null,
    });
    const content = { guildId: '4', userId: '42', role: '9' };
    await store.outbox.enqueue([{ kind: 'role', queue: rolesQueue('4'), content, deliveryId: null, createdAt: start }]);
    expect((await request('/effects/2')).json).toMatchObject({ kind: 'role', queue: 'roles 1 4', deliveryId: null });
  });

  it('finds deliveries by kind, listing, user and time', async () => {
    const { post, request, clock } = await startOwnerServer();
    await post('/webhooks/vote', vote);
    await clock.advance(hour);
    await post('/webhooks/vote', { event: 'bot_vote', userId: '42', timestamp: votedAt });
    await clock.advance(hour);
    await post('/webhooks/vote', { ...vote, userId: '7' });
    const ids = async (query: string) =>
      ((await request(`/deliveries?${query}`)).json['deliveries'] as { id: number }[]).map(({ id }) => id);
    expect(await ids('kind=bot_vote')).toEqual([2]);
    expect(await ids('listing=server')).toEqual([3, 1]);
    expect(await ids('user=42')).toEqual([2, 1]);
    expect(await ids('since=2026-01-01T01:00:00Z')).toEqual([3, 2]);
    expect(await ids('until=2026-01-01T01:00:00Z')).toEqual([1]);
    expect(await ids('since=2026-01-01T00:30&until=2026-01-01T02:30:00%2B01:00')).toEqual([2]);
    expect(await ids('since=2026-01-02')).toEqual([]);
  });

  it('returns totals, the status of each component, and the remaining budget', async () => {
    const { post, request, buryAll } = await startOwnerServer();
    await post('/webhooks/vote', vote);
    await buryAll('no such channel');
    await post('/webhooks/vote', vote);
    await post('/webhooks/vote', { event: 'surprise' });
    expect((await request('/summary')).json).toMatchObject({
      deliveries: { recorded: 1, duplicate: 1, quarantined: 1, test: 0 },
      effects: { waiting: 0, done: 0, buried: 1 },
      ...{ users: 1, credits: 10, votes: 1 },
      parts: { store: { ready: true }, discord: { ready: false, reason: 'not connected to the gateway' } },
      budgets: [{ listing: 'server', left: 118, limit: 120 }],
      lastDelivery: { id: 3, outcome: 'quarantined' },
    });
  });

  it('lists purchases without codes, and marks those as done that the team fulfils', async () => {
    const { request, store, nudges } = await startOwnerServer();
    await deposit(store, '42', 500);
    for (const item of [shout, keys, shout]) await store.shop.purchase(orderOf(item, { userId: '42' }), start);
    await store.shop.settle({ purchaseId: 3, state: 'refunded', channelId: ownerChannelId }, start);
    const { json } = await request('/purchases?limit=2');
    expect(json).toMatchObject({
      purchases: [
        { id: 3, state: 'refunded', manual: true },
        { id: 2, name: 'Game key', manual: false },
      ],
      next: 2,
    });
    expect(JSON.stringify(json)).not.toContain('AAA-1');
    const waiting = '/purchases?state=confirmed';
    expect((await request(waiting)).json['purchases']).toMatchObject([{ id: 1, userId: '42', price: 50 }]);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const done = await request('/purchases/1/done', { method: 'POST' });
      expect(done).toMatchObject({
        status: 200,
        json: { state: 'fulfilled', settledAt: new Date(start).toISOString() },
      });
    }
    expect(nudges).toHaveLength(1);
    expect((await request(waiting)).json['purchases']).toEqual([]);
    for (const [id, status, code] of [
      [2, 409, 'not_manual'],
      [3, 409, 'refunded'],
      [4, 404, 'not_found'],
    ] as const) {
      expect(await request(`/purchases/${id}/done`, { method: 'POST' })).toMatchObject({ status, json: { code } });
    }
  });

  it('answers the token of listings without a server, beside those of a server', async () => {
    const { request, post } = await startOwnerServer({ guildId: '9' });
    await post('/webhooks/vote', vote);
    const body = { name: 'quiz', scopes: ['read'] };
    const { json } = await request('/tokens?guildId=none', { method: 'POST', body });
    const authorization = `Bearer ${String(json['token'])}`;
    expect((await request('/users/42', { authorization })).json).toMatchObject({ guildId: null, credits: 10 });
    expect((await request('/summary', { authorization })).json).toMatchObject({
      deliveries: { recorded: 1, duplicate: 0 },
      ...{ users: 1, credits: 10, votes: 1 },
      parts: { discord: { ready: false } },
    });
    expect((await request('/users/42?guildId=9', { authorization })).status).toBe(404);
    const listings = (await request('/listings', { authorization })).json['listings'];
    expect(listings).toMatchObject([{ name: 'server' }, { name: 'bot' }]);
  });

  it('rejects invalid requests with a sentence that names the field', async () => {
    const { request } = await startOwnerServer();
    const cases: [path: string, status: number, expectedText: string][] = [
      ['/users/me', 400, 'userId'],
      ['/users/42?before=x', 400, 'before'],
      ['/deliveries?limit=lots', 400, 'limit'],
      ['/deliveries?outcome=lost', 400, 'outcome'],
      ['/deliveries?site=nowhere', 400, 'site'],
      ['/deliveries?since=yesterday', 400, 'since'],
      ['/deliveries?since=2026-02-30T12:00Z', 400, 'since'],
      ['/deliveries?user=1&user=2', 400, 'user'],
      ['/deliveries?kind=a%00b', 400, 'kind'],
      ['/effects?state=lost', 400, 'state'],
      ['/deliveries/99', 404, '99'],
      ['/effects/99', 404, '99'],
      ['/nothing', 404, 'path'],
      ['/users/%E0%A4%A', 400, 'path'],
      ['/leaderboard?period=day', 400, '"period" must be week, month, all'],
      ['/leaderboard?limit=501', 400, '"limit" must be 1 to 500'],
      ['/leaderboard?page=2', 400, 'unknown field "page"'],
    ];
    for (const [path, status, expectedText] of cases) {
      const response = await request(path);
      expect(response.status, path).toBe(status);
      expect(response.json['error'], path).toContain(expectedText);
    }
  });
});

describe('one delivery', () => {
  it('has its body, reason, entry, effects and timeline', async () => {
    const { post, request, buryAll } = await startOwnerServer();
    await post('/webhooks/vote', vote);
    await buryAll('no such channel');
    expect((await request('/deliveries/1')).json).toMatchObject({
      ...{ id: 1, body: JSON.stringify(vote), why: 'It was recorded once, and paid 10 credits to 42.' },
      ...{ duplicateOf: null, entry: { cause: 'vote', credits: 10 } },
      effects: [{ id: 1, state: 'buried', attempts: 1, finishedAt: '2026-01-01T00:00:00.000Z' }],
      timeline: [
        { what: 'received', at: '2026-01-01T00:00:00.000Z' },
        { what: 'recorded' },
        { what: 'entry' },
        { what: 'effect buried', text: expect.stringContaining('no such channel') },
      ],
    });
  });

  it('refers to the original if it is a duplicate, with and without a timestamp and for a purchase', async () => {
    const { post, request } = await startOwnerServer();
    const purchase = { event: 'premium_purchase', orderId: 'o-1', buyer: { userId: '42' } };
    for (const payload of [vote, { event: 'bot_vote', userId: '42' }]) {
      await post('/webhooks/vote', payload);
      await post('/webhooks/vote', { ...payload, more: true });
    }
    await post('/webhooks/premium', purchase, { secret: 'premium-secret-for-tests' });
    await post('/webhooks/premium', { ...purchase, more: true }, { secret: 'premium-secret-for-tests' });
    for (const id of [2, 4, 6]) {
      const { json } = await request(`/deliveries/${id}`);
      expect(json, String(id)).toMatchObject({ outcome: 'duplicate', duplicateOf: id - 1 });
      expect(json['why']).toContain(`delivery ${id - 1}`);
    }
  });

  it('explains a vote within the cooldown and denied credits', async () => {
    const { post, request } = await startOwnerServer();
    await post('/webhooks/vote', vote);
    await post('/webhooks/vote', { ...vote, timestamp: '2025-12-31T23:30:00Z' });
    const denied = { creditsAwarded: false, creditDenialReason: 'Ad blocker detected' };
    await post('/webhooks/vote', { ...vote, userId: '7', ...denied });
    const why = async (id: number) => (await request(`/deliveries/${id}`)).json['why'];
    expect(await why(2)).toContain('within the cooldown');
    expect(await why(3)).toContain('Ad blocker detected');
  });

  it('can be replayed while it is quarantined, and is recorded once', async () => {
    const { store, post, request, clock } = await startOwnerServer();
    const future = { ...vote, timestamp: '2026-01-01T01:00:00Z' };
    await post('/webhooks/vote', future);
    expect((await request('/deliveries/1/replay', replay)).json).toMatchObject({ outcome: 'quarantined' });
    await clock.advance(hour);
    const answers = await Promise.all([1, 2, 3].map(() => request('/deliveries/1/replay', replay)));
    expect(answers.map(({ json }) => json['outcome'] as string).sort()).toEqual(['duplicate', 'duplicate', 'recorded']);
    expect(await store.ledgerIn(firstCommunity).account('42')).toMatchObject({ credits: 10, votes: 1 });
    expect((await request('/deliveries/99/replay', replay)).status).toBe(404);
  });
});

describe('a buried effect', () => {
  it('is waiting without attempts after a replay, and wakes the worker', async () => {
    const { store, post, request, buryAll, nudges, clock } = await startOwnerServer();
    await post('/webhooks/vote', vote);
    const [first] = await claimDue(store.outbox, start, start + minute, 10);
    await clock.advance(minute);
    await buryAll('no such channel');
    await clock.advance(hour);
    expect(await request('/effects/1/replay', replay)).toMatchObject({
      status: 200,
      json: { state: 'waiting', attempts: 0, reason: null, finishedAt: null },
    });
    expect(nudges).toEqual([start + minute + hour]);
    const [again] = await claimDue(store.outbox, clock.now(), clock.now() + minute, 10);
    expect(again).toMatchObject({ id: 1, attempts: 1, createdAt: clock.now() });
    expect(again?.nonce).not.toBe(first?.nonce);
  });

  it('is the only kind of effect that can be replayed', async () => {
    const { post, request, nudges } = await startOwnerServer();
    await post('/webhooks/vote', vote);
    const rejected = await request('/effects/1/replay', replay);
    expect(rejected.status).toBe(409);
    expect(rejected.json['error']).toContain('waiting');
    expect((await request('/effects/2/replay', replay)).status).toBe(404);
    expect(nudges).toEqual([]);
  });
});

describe('a correction', () => {
  const correction = (body: unknown, key?: string) => ({
    method: 'POST',
    body,
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });

  it('adds an entry and changes the balance', async () => {
    const { request, store, post } = await startOwnerServer();
    await post('/webhooks/vote', vote);
    const { status, json } = await request(
      '/users/42/corrections',
      correction({ credits: -4, reason: ' paid twice ' }),
    );
    expect({ status, json }).toMatchObject({
      status: 201,
      json: { userId: '42', credits: 6, correction: { credits: -4, reason: 'paid twice' }, repeated: false },
    });
    expect((await request('/users/42')).json).toMatchObject({
      ...{ credits: 6, votes: 1 },
      entries: [
        { cause: 'correction', credits: -4, reason: 'paid twice', deliveryId: null, listing: null },
        { credits: 10 },
      ],
    });
    expect((await store.records.counts()).credits).toBe(6);
  });

  it('is made once per idempotency key, however often it is requested', async () => {
    const { request, store } = await startOwnerServer();
    const once = correction({ credits: 5, reason: 'lost vote \ud800' }, 'key-1');
    const answers = await Promise.all([1, 2, 3].map(() => request('/users/42/corrections', once)));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 200, 201]);
    expect(answers.map(({ json }) => json['credits'])).toEqual([5, 5, 5]);
    expect(await store.ledgerIn(firstCommunity).account('42')).toMatchObject({ credits: 5 });
    const other = await request('/users/42/corrections', correction({ credits: 6, reason: 'lost vote' }, 'key-1'));
    expect(other.status).toBe(409);
    expect((await request('/users/42/corrections', once)).status).toBe(200);
    expect(
      (await request('/users/42/corrections', correction({ credits: 5, reason: 'lost vote' }, 'key-2'))).status,
    ).toBe(201);
    expect(await store.ledgerIn(firstCommunity).account('42')).toMatchObject({ credits: 10 });
  });

  it('is rejected with a sentence that names the invalid field', async () => {
    const { request } = await startOwnerServer();
    const cases: [unknown, string][] = [
      [{ credits: 0, reason: 'x' }, 'credits'],
      [{ credits: '5', reason: 'x' }, 'credits'],
      [{ credits: 1_000_001, reason: 'x' }, 'credits'],
      [{ credits: 1 }, 'reason'],
      [{ credits: 1, reason: 'a\0b' }, 'U+0000'],
      [{ credits: 1, reason: 'x'.repeat(201) }, 'reason'],
      [{ credits: 1, reason: 'x', userId: '7' }, 'userId'],
      ['{"credits":', 'body'],
      ['', 'credits'],
    ];
    for (const [body, expectedText] of cases) {
      const { status, json } = await request('/users/42/corrections', correction(body));
      expect(status, JSON.stringify(body)).toBe(400);
      expect(json['error']).toContain(expectedText);
    }
    const badKey = await request('/users/42/corrections', correction({ credits: 1, reason: 'x' }, 'a key'));
    expect(badKey.json['error']).toContain('Idempotency-Key');
    expect((await request('/users/42/corrections', correction('x'.repeat(20_000)))).status).toBe(413);
    expect((await request('/users/42')).json).toMatchObject({ credits: 0, entries: [] });
  });
});
