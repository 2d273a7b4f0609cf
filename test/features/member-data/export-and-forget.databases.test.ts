import { systemClock } from '@tallyhook/platform/clock';
import { day, hour, minute } from '@tallyhook/platform/durations';
import { parseEncryptionKey } from '@tallyhook/platform/encryption/encryption-key';
import { seal } from '@tallyhook/platform/encryption/sealed-text';
import { expect, it, onTestFinished } from 'vitest';
import { createPseudonym } from '../../../src/core/ledger/account.ts';
import { isOf, type NewEffect, planKey, roleKind } from '../../../src/core/outbox/effect-kind.ts';
import type { QueueName } from '../../../src/core/outbox/queue.ts';
import { openSnapshot } from '../../../src/core/store/snapshots/snapshot.ts';
import type { Tables } from '../../../src/core/store/tables.ts';
import type { ListingContext } from '../../../src/core/tally/listing-context.ts';
import { balanceKey } from '../../../src/features/imports/items.ts';
import { storedFeatures } from '../../../src/features/index.ts';
import { forgetMember } from '../../../src/features/member-data/store.ts';
import { partyKey, partyRules } from '../../../src/features/party/rules.ts';
import { openStore, type Store } from '../../../src/features/store.ts';
import type { Premium } from '../../../src/webhook/event.ts';
import { accountOf, firstCommunity } from '../../support/communities.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { serverAndBot } from '../../support/listings.ts';
import { channelQueue, directMessageQueue, rolesQueue } from '../../support/queues.ts';
import { seedRaffle } from '../../support/raffles.ts';
import { premiumFor, voteFor } from '../../support/record-vote.ts';
import { itemOf, keys, orderOf, ownerChannelId } from '../../support/shop-store.ts';
import { isConsistent } from '../../support/voting.ts';

const [plain] = serverAndBot();
const guildId = '613425648685547541';
const voterRole = '700000000000000001';
const member = '200000000000000001';
const neighbour = '200000000000000002';
const start = Date.UTC(2026, 0, 5, 12);
const keepVotesMs = 7 * day;
const rounds = 5;

const listing: ListingContext = {
  ...plain,
  community: { ...plain.community, guildId },
  handled: ['stream'],
  rewards: {
    ...plain.rewards,
    voterRole: { role: voterRole, forMs: 12 * hour },
    premiumRoles: { Gold: '700000000000000002' },
    ...partyRules.as({ goal: 3, per: 'week', credits: 25 }),
  },
};

/** What a member has connected at top.gg. */
function heldConnection(userId: string) {
  const key = parseEncryptionKey('1'.repeat(64));
  if (key === null) throw new Error('not a key');
  const connection = { connectionId: userId, listing: `topgg-${userId}`, userId, kind: 'bot', targetId: '1' } as const;
  return { ...connection, guildId: null, sealed: seal(key, 'whs_1', ['topgg_connections', userId]) };
}

/** A token that a manager has created. */
function tokenOf(createdBy: string) {
  const scopes = ['read', 'write'] as const;
  return { communityId: firstCommunity, name: 'quiz', scopes, createdBy, expiresAt: null, digest: 'd'.repeat(64) };
}

/** A member with linked roles. */
function linkedMember(userId: string) {
  const key = parseEncryptionKey('1'.repeat(64));
  if (key === null) throw new Error('not a key');
  const sealed = (column: string) => seal(key, 'token', ['linked_members', userId, column]);
  const tokens = { accessToken: sealed('access_token'), refreshToken: sealed('refresh_token') };
  return { userId, locale: 'de', ...tokens, expiresAt: start + hour };
}

describeOnEveryDatabase('the data of a member', (newUrl) => {
  /** With a thread, it writes at the same time as another store on the database. */
  async function open(url = newUrl(), { thread = false } = {}): Promise<{ store: Store; url: string }> {
    const store = await openStore(url, systemClock, { thread });
    await store.communityIds.addConfigured([guildId]);
    onTestFinished(() => store.close());
    return { store, url };
  }

  function vote(store: Store, userId: string, at: number | null, receivedAt = at ?? start, of = listing) {
    const event = voteFor(of, userId, at, { atSite: { id: null, weight: 1, nextVoteAt: start + 2 * day } });
    const body = JSON.stringify({
      userId,
      user: { name: userId === member ? 'mira' : 'theo', avatar: `https://cdn.example/${userId}/a.png` },
    });
    return store.recorder.record({ receivedAt, family: 'vote', body }, { type: 'event', event, listing: of });
  }

  function premium(store: Store, changes: Partial<Premium>, body?: object) {
    const bought = { isRecipient: false, tier: 'Gold', at: start, periodEnd: start + 30 * day, ...changes };
    const event = premiumFor(member, bought);
    const { userId, giftedBy } = event;
    const delivery = {
      receivedAt: event.at ?? start,
      family: 'premium',
      body: JSON.stringify(body ?? { userId, giftedBy }),
    };
    return store.recorder.record({ ...delivery, family: 'premium' }, { type: 'event', event, listing });
  }

  const effect = { deliveryId: null, createdAt: start } as const;
  const roleReport: NewEffect = {
    ...effect,
    kind: 'ownerReport',
    queue: channelQueue('500000000000000009'),
    content: {
      channelId: '500000000000000009',
      report: {
        ...{ type: 'roleFailed', guildId, userId: member, role: voterRole },
        ...{ reason: 'Missing Permissions', cause: 'missing_permission' },
      },
    },
  };
  const reminder: NewEffect = {
    ...effect,
    kind: 'directMessage',
    queue: directMessageQueue(member),
    content: { userId: member, message: { type: 'reminder', listing: 'server', dueAt: start } },
  };

  /** A row about the member in every table that can have one, and some about others. */
  async function seed(store: Store): Promise<void> {
    await vote(store, member, start);
    await vote(store, member, start);
    await vote(store, member, start + hour);
    await vote(store, neighbour, start);
    await premium(store, {});
    await premium(store, { orderIds: ['gift'], userId: neighbour, isRecipient: true, giftedBy: member });
    await store.recorder.correct(
      { communityId: firstCommunity, userId: member, credits: 5, reason: 'for Mira', at: start },
      'key',
    );
    const body = JSON.stringify({ event: 'surprise', user: member });
    const unknown = {
      type: 'quarantine',
      ...{ kind: 'surprise', reason: 'unknown kind', listing: 'server', origin: [] },
    } as const;
    await store.recorder.record({ receivedAt: start, family: 'vote', body }, unknown);
    const importId = await store.imports.start({ name: 'old bot', communityId: firstCommunity }, start);
    const target = { importId, communityId: firstCommunity, reason: 'imported from old bot', listings: [] };
    await store.imports.apply(target, [{ userId: member, key: balanceKey, credits: 3, vote: null }], start);
    await store.roles.seeRoles(accountOf(member), [voterRole]);
    await store.memberLocales.setLocale(member, 'de');
    await store.linkedRoles.link(linkedMember(member), start);
    await store.topggConnect.hold(heldConnection(member), start);
    await store.tokens.create(tokenOf(member), start);
    const settlement = { communityId: firstCommunity, per: 'week', by: 'votes', firstDay: 20_458 } as const;
    const winner = { userId: member, place: 1, score: 2, credits: 5, role: null };
    await store.prizes.decide(settlement, [winner], { announced: null, now: start });
    await store.publicPages.setShown(firstCommunity, member, false);
    await seedRaffle(store, firstCommunity, member, start);
    const order = orderOf({ ...keys, price: 0 });
    await store.shop.purchase({ ...order, member: { userId: member, roles: [] } }, start);
    const gift = { communityId: firstCommunity, confirmationId: '5', giverId: member, receiverId: '20', credits: 1 };
    await store.gifts.give(gift, { limit: 5, since: start }, start);
    await store.reminders.switchOn(
      accountOf(member),
      [{ name: 'server', cooldownMs: 12 * hour, nextVoteAt: null }],
      start,
      { quiet: { from: 0, until: 60 } },
    );
    await store.outbox.enqueue([
      reminder,
      { ...reminder, plan: { key: planKey(firstCommunity, 'x', member), dueAt: start + hour, userId: member } },
      roleReport,
    ]);
    await store.outbox.enqueue([
      { ...reminder, queue: directMessageQueue(neighbour), content: { ...reminder.content, userId: neighbour } },
    ]);
    const [first] = await store.outbox.claim(directMessageQueue(member), start, start + minute, 1);
    if (first === undefined) throw new Error('no effect');
    await store.outbox.done([first], start);
  }

  /** Corrections of a program whose keys contain the member. */
  async function awardForQuiz(store: Store, userId: string) {
    const correction = { communityId: firstCommunity, userId, credits: 5, reason: 'quiz', at: start };
    return store.recorder.correct(correction, `ledger quiz 1${member} of ${userId}`);
  }

  async function dump(url: string): Promise<string> {
    const { db, run, close } = await openSnapshot(url);
    const rows: unknown[] = [];
    for (const name of Object.keys(storedFeatures.memberTables) as (keyof Tables)[])
      rows.push(name, await run(db.selectFrom(name).selectAll()));
    await close();
    return JSON.stringify(rows);
  }

  const forget = (store: Store, now = start + 2 * hour, userId = member) =>
    forgetMember(store.memberData, userId, { pseudonym: createPseudonym(), now, keepVotesMs });

  it('is exported from every table that has any', async () => {
    const { store } = await open();
    await seed(store);
    const exported = await store.memberData.export(member);
    const withMembers = Object.entries(storedFeatures.memberTables).filter(([, table]) => 'select' in table);
    // Written by no operation that the seed uses.
    const unseeded = ['reports', 'reminder_stops', 'guilds', 'setting_changes', 'confirmations'];
    expect(Object.keys(exported).sort()).toEqual(
      withMembers
        .map(([name]) => name)
        .filter((name) => !unseeded.includes(name))
        .sort(),
    );
    expect(exported['deliveries']).toHaveLength(6);
    expect(exported['deliveries']?.[0]).toMatchObject({
      user_id: member,
      credits: 10,
      body: { user: { name: 'mira' } },
    });
    expect(exported['effects']).toContainEqual(
      expect.objectContaining({
        kind: 'announcement',
        content: expect.objectContaining({ event: 'server_vote', userId: member }),
      }),
    );
    expect(exported['balances']).toMatchObject([{ credits: 117, votes: 1, last_votes: { server: start } }]);
    expect(JSON.stringify({ ...exported, deliveries: [], effects: [] })).not.toContain(neighbour);
  });

  it('is nothing for a stranger', async () => {
    const { store } = await open();
    await seed(store);
    expect(await store.memberData.export('200000000000000003')).toEqual({});
    expect(await store.memberData.export('20000000000000000')).toEqual({});
  });

  it('is nowhere any more after it was forgotten, while the sums remain', async () => {
    const { store, url } = await open();
    await seed(store);
    for (const userId of [member, neighbour]) await awardForQuiz(store, userId);
    const before = await store.records.counts();
    const others = await store.memberData.export(neighbour);
    await forget(store);
    // Only the effects that remove the roles have the id, until they are done.
    for (const role of await claimRoles(store)) await store.outbox.done(role, start);
    const text = await dump(url);
    expect(text).not.toContain(member);
    expect(text).not.toContain('mira');
    expect(text).not.toContain('Mira');
    expect(await store.memberData.export(member)).toEqual({});
    expect(await store.records.counts()).toMatchObject({
      users: before.users,
      credits: before.credits,
      votes: before.votes,
    });
    expect(await store.ledgerIn(firstCommunity).account(member)).toMatchObject({ credits: 0, votes: 0 });
    expect(await store.records.entries(accountOf(member), 10)).toEqual([]);
    expect(await store.records.deliveries({ userId: member, limit: 10, before: null })).toEqual([]);
    const board = { period: 'all', by: 'credits', limit: 10, offset: 0, userId: null } as const;
    const { members: places } = await store.standingsIn(firstCommunity, 'UTC').leaderboard(board, start + day);
    expect(places.map(({ userId }) => userId)).toEqual([neighbour, '20']);
    // The neighbour loses only the body with the name of the giver.
    const later = await store.memberData.export(neighbour);
    expect(later['entries']).toEqual(others['entries']);
    expect(later['balances']).toEqual(others['balances']);
    expect(await store.records.effects({ state: 'waiting', limit: 20, before: null })).not.toEqual([]);
    expect(await isConsistent(url)).toBe(true);
  });

  it('still loses the roles if it is forgotten twice', async () => {
    const { store } = await open();
    await seed(store);
    await forget(store);
    const before = await store.records.effects({ state: 'waiting', before: null, limit: 50 });
    await forget(store);
    const roles = (await store.records.effects({ state: 'waiting', before: null, limit: 50 })).filter(
      ({ kind }) => kind === 'role',
    );
    expect(roles.length).toBeGreaterThan(0);
    expect(roles).toHaveLength(before.filter(({ kind }) => kind === 'role').length);
  });

  async function claimRoles(store: Store) {
    const claims = [];
    for (let index = 0; index < 9; index += 1) {
      claims.push(await store.outbox.claim(rolesQueue(guildId), start + day, start + day + minute, 1));
    }
    return claims.filter((effects) => effects.length > 0);
  }

  it('leaves roles to remove, once each, and their effects without contents', async () => {
    const { store } = await open();
    await seed(store);
    await forget(store);
    const claims = (await claimRoles(store)).flat();
    const own = claims.filter((each) => isOf(roleKind, each)).filter(({ content }) => content.userId === member);
    expect(own.map(({ content }) => content.role).sort()).toEqual([voterRole, '700000000000000002']);
    for (const each of own) {
      expect(await store.roles.isGranted(each.content, start)).toBe(false);
      await store.outbox.bury([each], start, 'Missing Permissions');
    }
    expect(await store.records.effects({ state: 'buried', limit: 9, before: null })).toHaveLength(2);
    expect(await store.memberData.export(member)).toEqual({});
  });

  it('keeps repeats of old deliveries from being paid', async () => {
    const { store, url } = await open();
    await seed(store);
    await awardForQuiz(store, member);
    await vote(store, neighbour, null, start + 13 * hour);
    await forget(store, start + 14 * hour);
    await forget(store, start + 14 * hour, neighbour);
    expect(await vote(store, member, start)).toMatchObject({ outcome: 'duplicate' });
    expect(await vote(store, member, start + hour)).toMatchObject({ outcome: 'duplicate' });
    expect(await premium(store, {})).toMatchObject({ outcome: 'duplicate' });
    expect(await vote(store, neighbour, null, start + 15 * hour)).toMatchObject({ outcome: 'duplicate' });
    expect(
      await store.recorder.recordClaim({ userId: member, at: start + minute }, listing, start + 15 * hour),
    ).toEqual({ outcome: 'forgotten' });
    expect(
      await store.recorder.correct(
        { communityId: firstCommunity, userId: member, credits: 5, reason: 'for Mira', at: start },
        'key',
      ),
    ).toEqual({ outcome: 'key_reused' });
    expect(await awardForQuiz(store, member)).toEqual({ outcome: 'key_reused' });
    expect(await store.ledgerIn(firstCommunity).account(member)).toMatchObject({ credits: 0 });
    for (const userId of [member, neighbour])
      expect(await store.records.deliveries({ userId, limit: 10, before: null })).toEqual([]);
    // The next votes count, for new accounts.
    expect(await vote(store, member, start + 16 * hour)).toMatchObject({ credits: 10 });
    expect(await vote(store, neighbour, null, start + 26 * hour)).toMatchObject({ credits: 10 });
    expect(await store.ledgerIn(firstCommunity).account(member)).toMatchObject({ credits: 10, votes: 1 });
    expect(await isConsistent(url)).toBe(true);
  });

  it('is not named any more in the gifts of others, which stay', async () => {
    const { store, url } = await open();
    const gift = { userId: neighbour, isRecipient: true, giftedBy: member, orderIds: ['gift'] } as const;
    const body = {
      ...{ event: 'premium_purchase', orderId: 'gift', recipient: { userId: neighbour, username: 'theo' } },
      ...{ buyer: { userId: member, username: 'mira' }, giftedBy: member, userId: member },
    };
    await premium(store, gift, body);
    const later = {
      type: 'quarantine',
      ...{ kind: 'premium_purchase', reason: 'no listing', listing: null, origin: [] },
    } as const;
    const second = JSON.stringify({ ...body, orderId: 'later', giftedBy: { id: member, name: 'mira' } });
    await store.recorder.record({ receivedAt: start, family: 'premium', body: second }, later);
    await forget(store);
    expect(await dump(url)).not.toContain(member);
    expect(await dump(url)).not.toContain('mira');
    const { event, recipient } = body;
    const deliveries = await store.records.deliveries({ limit: 9, before: null });
    expect(deliveries.map((delivery) => JSON.parse(delivery.body))).toEqual([
      { event, orderId: 'later', recipient },
      { event, orderId: 'gift', recipient },
    ]);
    const waiting = await store.records.effects({ state: 'waiting', limit: 9, before: null });
    const effect = waiting.find(({ kind }) => kind === 'announcement');
    const [claimed] = await store.outbox.claim(
      (effect?.queue ?? '') as QueueName,
      start + day,
      start + day + minute,
      1,
    );
    expect(claimed).toMatchObject({
      kind: 'announcement',
      content: { userId: neighbour, giftedBy: null, credits: 100 },
    });
    expect(await isConsistent(url)).toBe(true);
  });

  it('is forgotten with the purchases that wait for the owner, who gets a report', async () => {
    const { store, url } = await open();
    const stock = itemOf({ manual: true, stock: 1 });
    for (const userId of [member, neighbour])
      await store.recorder.correct(
        { communityId: firstCommunity, userId, credits: 60, reason: 'gift', at: start },
        `gift ${userId.at(-1)}`,
      );
    const bought = await store.shop.purchase(orderOf(stock, { userId: member }), start);
    const purchaseId = bought.outcome === 'purchased' ? bought.purchase.id : 0;
    expect(await store.shop.purchase(orderOf(stock, { userId: neighbour }), start)).toMatchObject({
      rejection: 'sold_out',
    });
    await forget(store);
    const waiting = await store.records.effects({ state: 'waiting', limit: 9, before: null });
    expect(waiting).toMatchObject([{ kind: 'ownerReport', queue: channelQueue(ownerChannelId) }]);
    const [report] = await store.outbox.claim(channelQueue(ownerChannelId), start + day, start + day + minute, 1);
    expect(report).toHaveProperty('content', {
      channelId: ownerChannelId,
      report: { type: 'purchaseClosed', purchaseId, item: 'Shout-out', price: 50 },
    });
    // The button under the report, if it was posted before.
    const settlement = { purchaseId, state: 'fulfilled', channelId: ownerChannelId } as const;
    expect(await store.shop.settle(settlement, start + day)).toMatchObject({
      settled: false,
      purchase: { state: 'refunded' },
    });
    expect(await store.shop.purchase(orderOf(stock, { userId: neighbour }), start)).toMatchObject({
      outcome: 'purchased',
    });
    expect(await store.records.counts()).toMatchObject({ credits: 60 + 10 });
    expect(await dump(url)).not.toContain(member);
    expect(await isConsistent(url)).toBe(true);
  });

  it('keeps the late delivery of a claimed vote from being paid again', async () => {
    const { store, url } = await open();
    const simple = { ...listing, rewards: plain.rewards };
    const claimed = await store.recorder.recordClaim({ userId: member, at: start }, simple, start + hour);
    expect(claimed).toMatchObject({ outcome: 'claimed', credits: 10 });
    await forget(store, start + hour);
    // The service may report the time of the vote less exactly than the delivery.
    expect(await vote(store, member, start + 900, start + 2 * hour, simple)).toMatchObject({ outcome: 'duplicate' });
    expect(await store.ledgerIn(firstCommunity).account(member)).toMatchObject({ credits: 0, votes: 0 });
    expect(await vote(store, member, start + 12 * hour, undefined, simple)).toMatchObject({ credits: 10 });
    // Also if the member has voted since.
    expect(await vote(store, member, start + 800, start + 13 * hour, simple)).toMatchObject({ outcome: 'duplicate' });
    expect(await store.records.counts()).toMatchObject({ credits: 20, votes: 2 });
    expect(await isConsistent(url)).toBe(true);
  });

  it('keeps the votes of forgotten members for a limited time', async () => {
    const { store, url } = await open();
    await vote(store, member, null, start);
    await forget(store);
    await store.memberData.deleteExpired(start + keepVotesMs - 1);
    expect(await dump(url)).toContain(`"expires_at":${start + keepVotesMs}`);
    await store.memberData.deleteExpired(start + keepVotesMs);
    expect(await dump(url)).not.toContain('expires_at');
  });

  it('of an order is not linked to the next events of the order', async () => {
    const { store, url } = await open();
    await seed(store);
    await forget(store);
    const renewal = { kind: 'subscription.renewed', at: start + day, periodEnd: start + 60 * day } as const;
    expect(await premium(store, renewal)).toMatchObject({ outcome: 'recorded', credits: 100 });
    expect(await store.ledgerIn(firstCommunity).account(member)).toMatchObject({ credits: 100 });
    expect(await isConsistent(url)).toBe(true);
  });

  it('does not cancel what concerns everyone', async () => {
    const { store } = await open();
    for (const userId of [neighbour, '200000000000000003', member]) await vote(store, userId, start);
    await forget(store);
    const waiting = await store.records.effects({ state: 'waiting', limit: 20, before: null });
    expect(waiting.some(({ kind }) => kind === 'partyReward')).toBe(true);
  });

  it('is forgotten for an account and not twice paid while a party is paid', async () => {
    const { store, url } = await open();
    const { store: other } = await open(url, { thread: true });
    const voters = [neighbour, '200000000000000003', member];
    for (let round = 0; round < rounds; round += 1) {
      const at = start + 7 * round * day;
      await Promise.all(voters.map((userId) => vote(store, userId, at)));
      const week = String(round + 2).padStart(2, '0');
      const party = {
        ...{ period: partyKey(firstCommunity, `week 2026-W${week}`), goal: 3, credits: 25, day: 20_458 + 7 * round },
      };
      const forgotten = forget(store, at);
      // To meet in different orders.
      await systemClock.sleep(2 * round);
      await Promise.all([forgotten, other.party.pay(party, at), store.party.pay(party, at)]);
      while (await store.party.pay(party, at));
      await store.party.pay(party, at);
    }
    expect(await store.records.counts()).toMatchObject({ credits: rounds * 3 * (10 + 25) });
    expect(await isConsistent(url)).toBe(true);
  });

  it('is forgotten before or after a vote that arrives at the same moment', async () => {
    const { store, url } = await open();
    const { store: other } = await open(url, { thread: true });
    const simple = { ...listing, rewards: plain.rewards };
    for (let round = 0; round < rounds; round += 1) {
      const at = start + round * day;
      await vote(store, member, at, at, simple);
      await Promise.all([forget(other, at), vote(store, member, at + 12 * hour, at + 12 * hour, simple)]);
      expect([10, 0]).toContain((await store.ledgerIn(firstCommunity).account(member)).credits);
      await forget(store, at);
    }
    expect(await store.records.counts()).toMatchObject({ credits: rounds * 20, votes: rounds * 2 });
    expect(await dump(url)).not.toContain(member);
    expect(await isConsistent(url)).toBe(true);
  });
});
