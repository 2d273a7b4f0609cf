import { DatabaseSync } from 'node:sqlite';
import { day, hour, minute } from '@tallyhook/platform/durations';
import { manualClock, storeClock } from '@tallyhook/platform/testing/manual-clock';
import { expect, it, onTestFinished } from 'vitest';
import type { Added } from '../../src/core/added-value.ts';
import { createPseudonym } from '../../src/core/ledger/account.ts';
import { isOf, roleKind } from '../../src/core/outbox/effect-kind.ts';
import type { ListingRewards } from '../../src/core/rewards/rules.ts';
import { secretKey } from '../../src/core/store/installation.ts';
import { entryPages } from '../../src/core/store/snapshots/audit.ts';
import { openSnapshot } from '../../src/core/store/snapshots/snapshot.ts';
import { drawOf, voteKey } from '../../src/core/tally/idempotency-key.ts';
import type { ListingContext } from '../../src/core/tally/listing-context.ts';
import { forgetMember } from '../../src/features/member-data/store.ts';
import { partyKey, partyRules } from '../../src/features/party/rules.ts';
import { openStore, type Store } from '../../src/features/store.ts';
import type { Premium } from '../../src/webhook/event.ts';
import { accountOf, addCommunity, firstCommunity } from '../support/communities.ts';
import { describeOnEveryDatabase } from '../support/databases.ts';
import { serverAndBot } from '../support/listings.ts';
import { newSqliteFile } from '../support/new-sqlite.ts';
import { rolesQueue } from '../support/queues.ts';
import { premiumFor, recordVote } from '../support/record-vote.ts';
import { start as boughtAt, deposit, keys, openShop, orderOf, shout, vip } from '../support/shop-store.ts';
import { isConsistent } from '../support/voting.ts';

const start = Date.UTC(2026, 0, 5, 12);
const guildId = '613425648685547541';
const voterRole = '700000000000000001';
const milestoneRole = '700000000000000002';
const goldRole = '700000000000000003';

const everyRule: Partial<ListingRewards> = {
  multipliers: [{ factor: 2, days: [6, 7], from: null, until: null, role: null }],
  streak: { every: 3, credits: 50, forgive: 0 },
  milestones: [
    { votes: 2, repeats: 'once', credits: 100, role: milestoneRole },
    { votes: 4, repeats: 'every', credits: 5, role: null },
  ],
  voterRole: { role: voterRole, forMs: 12 * hour },
  premiumRoles: { Gold: goldRole },
  allListings: 20,
  ...partyRules.as({ goal: 5, per: 'week', credits: 25 }),
};

function listings(rewards: Partial<ListingRewards> | Added = everyRule) {
  const withRewards = <Listing extends ListingContext>(listing: Listing): ListingContext => ({
    ...listing,
    ...{ rewards: { ...listing.rewards, ...rewards }, community: { ...listing.community, guildId } },
  });
  const [server, bot] = serverAndBot();
  return { server: withRewards(server), bot: withRewards(bot) };
}

const { server, bot } = listings();

describeOnEveryDatabase('rewards', (newUrl) => {
  /** With a thread, it writes at the same time as another store on the database. */
  async function open(url = newUrl(), { thread = false } = {}): Promise<{ store: Store; url: string }> {
    const clock = storeClock(manualClock(start));
    const store = await openStore(url, clock, { thread });
    await store.communityIds.addConfigured([guildId]);
    onTestFinished(() => store.close());
    return { store, url };
  }

  const castVote = (store: Store, userId: string, at: number, listing = server) =>
    recordVote(store, listing, userId, at);

  function premium(store: Store, changes: Partial<Premium>, receivedAt?: number, listing = server) {
    const gold = { isRecipient: false, tier: 'Gold', at: start, periodEnd: start + 30 * day };
    const event = premiumFor('1', { ...gold, ...changes });
    const body = JSON.stringify({ at: event.at, periodEnd: event.periodEnd, userId: event.userId });
    const delivery = { receivedAt: receivedAt ?? event.at ?? start, family: 'premium', body } as const;
    return store.recorder.record(delivery, { type: 'event', event, listing });
  }

  async function entriesOf(url: string, userId: string) {
    const snapshot = await openSnapshot(url);
    try {
      const entries = [];
      for await (const page of entryPages(snapshot, { userId, since: null })) entries.push(...page);
      return entries.map(({ cause, credits, reason }) => [cause, credits, reason]);
    } finally {
      await snapshot.close();
    }
  }

  it('ends the role of an order that the rules gave its tier before', async () => {
    const { store } = await open();
    const gold = { guildId, userId: '1', role: goldRole };
    const other = { guildId, userId: '1', role: milestoneRole };
    await premium(store, {});
    expect(await store.roles.isGranted(gold, start)).toBe(true);
    const changed = listings({ ...everyRule, premiumRoles: { Gold: milestoneRole } }).server;
    const renewal = { kind: 'subscription.renewed', at: start + day, periodEnd: start + 60 * day } as const;
    await premium(store, renewal, undefined, changed);
    expect(await store.roles.isGranted(gold, start + day)).toBe(false);
    expect(await store.roles.isGranted(other, start + day)).toBe(true);
    const without = listings({ ...everyRule, premiumRoles: {} }).server;
    await premium(store, { kind: 'subscription.revoked', at: start + 2 * day, userId: null }, undefined, without);
    expect(await store.roles.isGranted(other, start + 2 * day)).toBe(false);
  });

  it('pays every rule with an entry of its own, once', async () => {
    const { store, url } = await open();
    // Monday to Wednesday; the streak is complete on Wednesday, the milestone on Tuesday, both listings on Monday.
    expect(await castVote(store, '1', start)).toMatchObject({ credits: 10 });
    expect(await castVote(store, '1', start + hour, bot)).toMatchObject({ credits: 10 + 20 + 100 });
    expect(await castVote(store, '1', start + day)).toMatchObject({ credits: 10 });
    expect(await castVote(store, '1', start + 2 * day)).toMatchObject({ credits: 10 + 50 + 5 });
    expect(await castVote(store, '1', start + 2 * day)).toMatchObject({ outcome: 'duplicate', credits: 0 });
    expect(await castVote(store, '1', start + 2 * day + hour)).toMatchObject({ reason: 'within_cooldown', credits: 0 });
    // Saturday: doubled.
    expect(await castVote(store, '1', start + 5 * day)).toMatchObject({ credits: 20 });
    expect(await entriesOf(url, '1')).toEqual([
      ['vote', 10, null],
      ['vote', 10, null],
      ['milestone', 100, '2 votes'],
      ['allListings', 20, '2026-01-05'],
      ['vote', 10, null],
      ['vote', 10, null],
      ['streak', 50, '3 days on 2026-01-07'],
      ['milestone', 5, '4 votes'],
      ['within_cooldown', 0, 'within_cooldown'],
      ['vote', 20, '10 × 2'],
    ]);
    expect(await isConsistent(url)).toBe(true);
  });

  it('decides luck by the secret of the database and the key of the vote, in every process', async () => {
    const { store, url } = await open();
    const { store: other } = await open(url, { thread: true });
    const lucky = listings({ luck: [{ chance: 0.5, credits: 7, name: 'Jackpot' }] }).server;
    const times = Array.from({ length: 24 }, (_, number) => start + number * day);
    await Promise.all(times.map((at, index) => castVote(index % 2 === 0 ? store : other, '1', at, lucky)));
    for (const at of times) expect(await castVote(other, '1', at, lucky)).toMatchObject({ outcome: 'duplicate' });
    const snapshot = await openSnapshot(url);
    const stored = snapshot.db.selectFrom('installation').select('value').where('key', '=', secretKey);
    const [{ value: secret } = { value: '' }] = await snapshot.run(stored);
    await snapshot.close();
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    const vote = (at: number) => voteKey({ userId: '1', at }, lucky, at);
    const won = times.filter((at) => drawOf(secret, vote(at))('Jackpot') < 0.5);
    const paid = (await entriesOf(url, '1')).filter(([cause]) => cause === 'luck');
    expect(paid).toEqual(won.map(() => ['luck', 7, 'Jackpot']));
    expect(await isConsistent(url)).toBe(true);
  });

  it('pays the same in whatever order the votes of a batch arrive, over two processes', async () => {
    const { store, url } = await open();
    const { store: other } = await open(url, { thread: true });
    const days = [0, 1, 2, 3, 4, 5, 6, 7, 8];
    const sums = [];
    for (const [userId, order] of [
      ['1', days],
      ['2', days.toReversed()],
      ['3', [4, 0, 8, 2, 6, 1, 7, 3, 5]],
    ] as const) {
      await Promise.all(
        order.map((number, index) => castVote(index % 2 === 0 ? store : other, userId, start + number * day)),
      );
      sums.push((await store.ledgerIn(firstCommunity).account(userId)).credits);
    }
    expect(new Set(sums).size).toBe(1);
    expect(await isConsistent(url)).toBe(true);
  });

  it('grants roles, extends the voter role, and enqueues effects', async () => {
    const { store } = await open();
    const role = (id: string) => ({ guildId, userId: '1', role: id });
    await castVote(store, '1', start);
    expect(await store.roles.isGranted(role(voterRole), start + 12 * hour - 1)).toBe(true);
    expect(await store.roles.isGranted(role(voterRole), start + 12 * hour)).toBe(false);
    await castVote(store, '1', start + day);
    expect(await store.roles.isGranted(role(voterRole), start + day + 12 * hour - 1)).toBe(true);
    expect(await store.roles.isGranted(role(milestoneRole), start + 1_000 * day)).toBe(true);
    const effects = await store.records.effects({ state: 'waiting', before: null, limit: 10 });
    expect(effects.filter(({ kind }) => kind === 'role')).toHaveLength(2);
  });

  it('ends the role of a tier the same whatever order an expiry without a time arrives in', async () => {
    const purchase = { at: null, periodEnd: start + 30 * day };
    const renewal = { ...purchase, kind: 'subscription.renewed', periodEnd: start + 60 * day } as const;
    const expiry = { ...purchase, kind: 'subscription.expired' } as const;
    for (const events of [
      [purchase, expiry, renewal],
      [expiry, renewal, purchase],
      [renewal, purchase, expiry],
    ]) {
      const { store } = await open();
      for (const event of events) await premium(store, event);
      expect(await store.roles.isGranted({ guildId, userId: '1', role: goldRole }, start + 60 * day - 1)).toBe(true);
      await premium(store, { ...expiry, periodEnd: start + 60 * day });
      expect(await store.roles.isGranted({ guildId, userId: '1', role: goldRole }, start)).toBe(false);
    }
  });

  it('pays a purchase without order and time once a day, also if two processes receive it at the same time', async () => {
    const { store, url } = await open();
    const { store: other } = await open(url, { thread: true });
    const untimed = { orderIds: [], at: null, periodEnd: null, userId: '7' };
    const buy = (target: Store, receivedAt: number) => premium(target, untimed, receivedAt);
    const day0 = Math.floor(start / day) * day;
    const credits = async () => (await store.ledgerIn(server.community.id).account('7')).credits;
    const results = await Promise.all([store, other, store, other].map((each) => buy(each, day0 + 23 * hour)));
    expect(results.map(({ outcome }) => outcome).sort()).toEqual(['duplicate', 'duplicate', 'duplicate', 'recorded']);
    const paid = await credits();
    expect(paid).toBeGreaterThan(0);
    for (const later of [24 * hour, 47 * hour]) {
      expect(await buy(other, day0 + later)).toMatchObject({ outcome: 'duplicate' });
    }
    // The clock of a process is behind.
    expect(await buy(other, day0 - hour)).toMatchObject({ outcome: 'duplicate' });
    expect(await buy(other, day0 + 60 * day)).toMatchObject({ outcome: 'recorded' });
    expect(await credits()).toBe(2 * paid);
    await forgetMember(store.memberData, '7', {
      ...{ pseudonym: createPseudonym(), now: day0 + 60 * day, keepVotesMs: 12 * hour },
    });
    expect(await buy(store, day0 + 60 * day + hour)).toMatchObject({ outcome: 'duplicate' });
    for (const timed of [{ at: start }, { periodEnd: start }]) {
      await premium(store, { ...untimed, ...timed }, start);
      expect(await premium(store, { ...untimed, ...timed }, start + 60 * day)).toMatchObject({ outcome: 'duplicate' });
    }
  });

  it('settles roles, and removes them once their grants have ended', async () => {
    const { store } = await open();
    const role = { guildId, userId: '1', role: voterRole };
    await castVote(store, '1', start);
    await store.roles.settleRole(role, 'applied', start);
    expect(await store.outbox.enqueuePlanned(start + hour, 10)).toHaveLength(0);
    expect(await store.outbox.enqueuePlanned(start + 12 * hour, 10)).toHaveLength(1);
    expect(await store.outbox.enqueuePlanned(start + 12 * hour, 10)).toHaveLength(0);
    // A vote arrives before the role is removed: the removal is wrong, and is repaired by another attempt.
    await castVote(store, '1', start + 13 * hour);
    await store.roles.settleRole(role, 'removed', start + 13 * hour);
    expect(await store.roles.isGranted(role, start + 13 * hour)).toBe(true);
    expect((await store.records.counts()).effects.waiting).toBeGreaterThanOrEqual(4);
    await store.roles.settleRole(role, 'applied', start + 13 * hour);
    expect(await store.outbox.enqueuePlanned(start + 25 * hour, 10)).toHaveLength(1);
    await store.roles.settleRole(role, 'removed', start + 25 * hour);
    expect(await store.roles.isGranted(role, start)).toBe(false);
  });

  it('tries a role again after its effect was given up, and after its removal was rejected', async () => {
    const { store } = await open();
    const onlyVoter = listings({ voterRole: everyRule.voterRole ?? null }).server;
    await castVote(store, '1', start, onlyVoter);
    const take = (now: number) => store.outbox.claim(rolesQueue(guildId), now, now + hour, 1);
    await store.outbox.giveUp(await take(start), start, 'gave up');
    await store.roles.repairMember('1', [{ guildId, role: voterRole }], start);
    const [again] = await take(start + hour);
    expect(again).toMatchObject({ content: { userId: '1', role: voterRole } });
    await store.roles.settleRole({ guildId, userId: '1', role: voterRole }, 'applied', start);
    expect(await store.outbox.enqueuePlanned(start + 12 * hour, 10)).toHaveLength(1);
    await store.roles.settleRole({ guildId, userId: '1', role: voterRole }, 'failed', start + 12 * hour);
    expect(await store.roles.hasGrant({ guildId, userId: '1', role: voterRole })).toBe(true);
    expect(await store.roles.repairAfter('', 10, start + 13 * hour)).toBeNull();
    await store.roles.settleRole({ guildId, userId: '1', role: voterRole }, 'removed', start + 13 * hour);
    expect(await store.roles.hasGrant({ guildId, userId: '1', role: voterRole })).toBe(false);
  });

  it('has what another guild grants apart, also if it names the same role', async () => {
    const { store } = await open();
    const voter = { voterRole: everyRule.voterRole ?? null };
    const own = listings(voter).server;
    const foreign = {
      ...own,
      name: 'foreign',
      community: { ...own.community, guildId: '9', id: await addCommunity(store, '9') },
    };
    await castVote(store, '1', start - hour, foreign);
    await castVote(store, '1', start, own);
    const role = { userId: '1', role: voterRole };
    await store.roles.settleRole({ ...role, guildId: '9' }, 'failed', start);
    const states = async () =>
      (await store.records.grants('1'))
        .map((grant) => [grant.guildId, grant.state])
        .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1));
    expect(await states()).toEqual([
      [guildId, 'pending'],
      ['9', 'parked'],
    ]);
    await store.roles.settleRole({ ...role, guildId }, 'applied', start);
    expect(await states()).toEqual([
      [guildId, 'applied'],
      ['9', 'parked'],
    ]);
    const foreignEnd = start + 11 * hour;
    expect(await store.roles.isGranted({ ...role, guildId: '9' }, foreignEnd)).toBe(false);
    expect(await store.roles.isGranted({ ...role, guildId }, foreignEnd)).toBe(true);
  });

  it('tries with a vote what a member could not be given before, and nothing else that the vote does not give', async () => {
    const { store } = await open();
    await premium(store, { orderIds: ['a'], periodEnd: null });
    await castVote(store, '1', start);
    const roles = async (now: number) => {
      const found: unknown[] = [];
      for (;;) {
        const [effect] = await store.outbox.claim(rolesQueue(guildId), now, now + hour, 1);
        if (effect === undefined || !isOf(roleKind, effect)) return found;
        found.push(effect.content.role);
        await store.outbox.done([effect], now);
        await store.roles.settleRole(effect.content, effect.content.role === goldRole ? 'parked' : 'applied', now);
      }
    };
    expect(await roles(start)).toContain(goldRole);
    const second = start + 12 * hour;
    await castVote(store, '1', second);
    expect(await roles(second)).toContain(goldRole);
    await store.roles.settleRole({ guildId, userId: '1', role: goldRole }, 'applied', second);
    await castVote(store, '1', second + 12 * hour);
    expect(await roles(second + 12 * hour)).not.toContain(goldRole);
  });

  it('ends the roles of all ids of an order with a revocation', async () => {
    const { store } = await open();
    const gold = { guildId, userId: '1', role: goldRole };
    await premium(store, { orderIds: ['a'] });
    await premium(store, { kind: 'subscription.renewed', orderIds: ['b'], at: start + day, periodEnd: null });
    await premium(store, { kind: 'subscription.revoked', orderIds: ['a', 'b'], at: start + 2 * day });
    expect(await store.roles.isGranted(gold, start + 2 * day)).toBe(false);
  });

  it('pays a party to everyone who voted before its goal was reached, once, over two processes', async () => {
    const { store, url } = await open();
    const { store: other } = await open(url, { thread: true });
    const party = { period: partyKey(firstCommunity, 'week 2026-W02'), goal: 5, credits: 25, day: 20_459 };
    const onlyParty = listings(partyRules.as(partyRules.in(everyRule))).server;
    for (const userId of ['1', '2', '3', '4']) await castVote(store, userId, start, onlyParty);
    expect(await store.party.pay(party, start)).toBe(false);
    expect(await store.ledgerIn(firstCommunity).account('1')).toMatchObject({ credits: 10 });
    await castVote(other, '5', start + hour, onlyParty);
    // After the goal: recorded late but cast before, and cast after it.
    await castVote(store, '6', start + hour - 1, onlyParty);
    await castVote(store, '7', start + 2 * hour, onlyParty);
    await Promise.all([store, other, store].map((each) => each.party.pay(party, start + day)));
    const credits = await Promise.all(
      ['1', '2', '3', '4', '5', '6', '7'].map(async (id) => (await store.ledgerIn(firstCommunity).account(id)).credits),
    );
    expect(credits).toEqual([35, 35, 35, 35, 35, 35, 10]);
    expect(await entriesOf(url, '6')).toEqual([
      ['vote', 10, null],
      ['party', 25, '5 votes, week 2026-W02'],
    ]);
    // Recorded late as well, of a voter who is paid already.
    await castVote(store, '6', start, listings(partyRules.as(partyRules.in(everyRule))).bot);
    await store.party.pay(party, start + day);
    expect((await store.ledgerIn(firstCommunity).account('6')).credits).toBe(45);
    expect(await isConsistent(url)).toBe(true);
  });

  it('forgives days on which receiving was down', async () => {
    const { store } = await open();
    await store.upkeep.beat(start);
    await castVote(store, '1', start);
    await store.upkeep.beat(start + 5 * hour);
    await store.upkeep.beat(start + 2 * day - 6 * hour);
    await store.upkeep.beat(start + 2 * day);
    await castVote(store, '1', start + 2 * day);
    // Monday, Wednesday and Thursday, without a missed day in between.
    expect(await castVote(store, '1', start + 3 * day)).toMatchObject({ credits: 10 + 50 });
  });
});

const none = { newest: [], waiting: 0 };

describeOnEveryDatabase('reward records', (newUrl) => {
  const remind = (store: Store, userId: string, nextVotes: Readonly<Record<string, number | null>>) =>
    store.reminders.switchOn(
      accountOf(userId),
      Object.entries(nextVotes).map(([name, nextVoteAt]) => ({ name, cooldownMs: 12 * hour, nextVoteAt })),
      boughtAt,
    );

  it('show the newest purchases, whatever the order of their ids, and never a code', async () => {
    const store = await openShop(newUrl());
    expect(await store.shop.summary()).toEqual(none);
    await deposit(store, '1', 1000);
    await deposit(store, '2', 1000);
    await store.shop.purchase(orderOf(keys, { userId: '2' }), boughtAt + hour);
    await store.shop.purchase(orderOf(vip), boughtAt + hour);
    for (let minutes = 12; minutes > 0; minutes -= 1)
      await store.shop.purchase(orderOf({ ...shout, name: `Shout ${minutes}` }), boughtAt + minutes * minute);
    const { newest, waiting } = await store.shop.summary();
    expect(waiting).toBe(12);
    expect(newest.map(({ name }) => name)).toEqual([
      'VIP',
      'Game key',
      ...Array.from({ length: 8 }, (_, index) => `Shout ${12 - index}`),
    ]);
    const bought = { id: expect.any(Number), at: boughtAt + hour };
    expect(newest.slice(0, 2)).toEqual([
      { ...bought, userId: '1', name: 'VIP', price: 30, state: 'confirmed', role: vip.role },
      { ...bought, userId: '2', name: 'Game key', price: 10, state: 'fulfilled', role: null },
    ]);
  });

  it('count members with reminders once, those that are due soon, and those that were switched off', async () => {
    const store = await openShop(newUrl());
    expect(await store.reminders.summary(boughtAt)).toEqual({ scheduled: 0, dueSoon: 0, stopped: 0 });
    await remind(store, '1', { server: boughtAt + hour, bot: boughtAt + 2 * hour });
    await remind(store, '2', { server: boughtAt + hour + 1 });
    await remind(store, '3', { server: boughtAt + minute });
    await remind(store, '4', { server: null });
    await store.reminders.stop('3', 'direct_messages_closed', boughtAt);
    expect(await store.reminders.summary(boughtAt)).toEqual({ scheduled: 2, dueSoon: 1, stopped: 1 });
    expect(await store.reminders.summary(boughtAt + 5 * hour)).toMatchObject({ scheduled: 2, dueSoon: 3 });
    await store.reminders.switchOff(accountOf('2'));
    await remind(store, '3', { server: null });
    expect(await store.reminders.summary(boughtAt)).toEqual({ scheduled: 1, dueSoon: 1, stopped: 0 });
  });
});

it.each([10_000, 20_001])('reward records count %i members with two reminders each', async (members) => {
  const path = newSqliteFile();
  const store = await openShop(`sqlite:${path}`);
  const database = new DatabaseSync(path);
  database
    .prepare(
      `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${members})
       insert into planned_effects (key, user_id, kind, queue, content, due_at, planned_at)
       select '1 reminder ' || n || ' ' || listing, n, 'directMessage', 'dm 1 ' || n, '{}', ${boughtAt}, ${boughtAt} from numbers, (select 'server' as listing union all select 'bot')`,
    )
    .run();
  database.close();
  expect(await store.reminders.summary(boughtAt)).toEqual({ scheduled: members, dueSoon: 2 * members, stopped: 0 });
});
