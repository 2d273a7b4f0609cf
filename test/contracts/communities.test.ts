import { expect, it, onTestFinished } from 'vitest';
import { accountIdOf } from '../../src/core/ledger/account.ts';
import { createPseudonym } from '../../src/core/ledger/pseudonym.ts';
import type { LeaderboardQuery } from '../../src/core/ledger/standing.ts';
import { balanceDifferences, brokenLinks, paymentDifferences } from '../../src/core/store/snapshots/audit.ts';
import { entryPages, type NumberedEntry } from '../../src/core/store/snapshots/entry-pages.ts';
import { openSnapshot } from '../../src/core/store/snapshots/open-snapshot.ts';
import { repeatedAchievements } from '../../src/core/store/snapshots/reward-statistics.ts';
import type { ListingContext } from '../../src/core/tally/listing-context.ts';
import { fixHome, prepareAccounts } from '../../src/features/communities/home.ts';
import { forgetMember } from '../../src/features/member-data/store.ts';
import { openStore } from '../../src/features/store.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { day, hour, minute } from '../../src/platform/durations.ts';
import { type Premium, premiumKinds } from '../../src/webhook/event.ts';
import { firstCommunity } from '../support/communities.ts';
import { serverAndBot } from '../support/listings.ts';
import { recordVote } from '../support/record-vote.ts';
import { itemOf, orderOf } from '../support/shop-store.ts';
import { describeOnEveryDatabase } from './databases.ts';

const [server, bot] = serverAndBot();
if (server === undefined || bot === undefined) throw new Error('no listing');
const start = Date.UTC(2026, 0, 5, 12);
const home = '100000000000000001';
const guild = '613425648685547541';
const member = '200000000000000001';
const other = '200000000000000002';
const rewards = {
  ...server.rewards,
  streak: { every: 2, credits: 50, forgive: 0 },
  milestones: [{ votes: 2, repeats: 'once', credits: 100, role: null }],
  voterRole: { role: '700000000000000001', forMs: 12 * hour },
  party: { goal: 2, per: 'week', credits: 25 },
} as const;

function listingOf(name: string, accounts: string, guildId: string): ListingContext {
  const community = { guildId, accounts, timeZone: 'UTC', listings: [name] };
  const voterRole = { ...rewards.voterRole, role: `7${guildId.slice(1)}` };
  return { ...server, name, kind: 'server', rewards: { ...rewards, voterRole }, community } as ListingContext;
}

const homeListing = listingOf('home', '', home);
const guildListing = listingOf('hosted', guild, guild);
const board: LeaderboardQuery = { period: 'all', by: 'votes', limit: 10, offset: 0, userId: null };

describeOnEveryDatabase('two communities', (newUrl) => {
  async function open() {
    const url = newUrl();
    const store = await openStore(url, systemClock, { thread: false });
    onTestFinished(() => store.close());
    return { url, store };
  }

  const vote = recordVote;

  async function expectSound(url: string): Promise<void> {
    const snapshot = await openSnapshot(url);
    try {
      expect(await balanceDifferences(snapshot)).toMatchObject({ count: 0 });
      expect(await paymentDifferences(snapshot)).toMatchObject({ count: 0 });
      expect(await repeatedAchievements(snapshot)).toMatchObject({ count: 0 });
      expect(await brokenLinks(snapshot)).toBe(0);
    } finally {
      await snapshot.close();
    }
  }

  it('have accounts, streaks, milestones, ranks and leaderboards of their own', async () => {
    const { url, store } = await open();
    const plain = { ...homeListing, rewards: { ...homeListing.rewards, party: null } };
    const plainGuild = { ...guildListing, rewards: { ...guildListing.rewards, party: null } };
    await vote(store, plain, member, start);
    await vote(store, plain, member, start + day);
    await vote(store, plainGuild, member, start + day);
    await vote(store, plainGuild, other, start + day);
    // The late delivery of an earlier vote looks only at its own account.
    expect(await vote(store, plainGuild, member, start)).toMatchObject({ credits: 10 + 50 + 100 });
    const [ofHome, ofGuild] = [store.standingsIn(firstCommunity, 'UTC'), store.standingsIn(guild, 'UTC')];
    expect(await store.ledgerIn(firstCommunity).account(member)).toEqual({ userId: member, credits: 170, votes: 2 });
    expect(await store.ledgerIn(guild).account(member)).toEqual({ userId: member, credits: 170, votes: 2 });
    expect(await store.ledgerIn(guild).lastVoteAt(member, 'home')).toBe(null);
    expect(await ofHome.standing(other, start + day)).toMatchObject({ credits: 0, rank: null, entries: [] });
    expect(await ofGuild.standing(other, start + day)).toMatchObject({ credits: 10, rank: 2, streak: { days: 1 } });
    const members = async (standings: typeof ofHome) => (await standings.leaderboard(board, start + day)).members;
    expect((await members(ofHome)).map(({ userId }) => userId)).toEqual([member]);
    expect(await members(ofGuild)).toMatchObject([
      { userId: member, score: 2 },
      { userId: other, score: 1 },
    ]);
    expect(await store.communitiesOf(member)).toEqual(['', guild]);
    expect(await store.communitiesOf(other)).toEqual([guild]);
    await expectSound(url);
  });

  it.each([
    ['named by the same ids', ['order-1', 'purchase-1']],
    ['with the same bodies and no id', []],
  ])('have premium of their own, also %s', async (_, orderIds: readonly string[]) => {
    const { url, store } = await open();
    const send = (kind: Premium['kind'], userId: string, listing: ListingContext, at: number) => {
      const event: Premium = {
        ...{ family: 'premium', kind, target: { kind: null, id: null }, userId, isRecipient: false, giftedBy: null },
        ...{ orderIds, tier: null, at: start, periodEnd: start + at, creditsAwarded: null },
      };
      return store.recorder.record(
        { receivedAt: start + at, family: 'premium', body: JSON.stringify({ kind, at }) },
        { type: 'event', event, listing },
      );
    };
    for (const kind of premiumKinds) await send(kind, other, homeListing, 1);
    expect(await send('premium_purchase', member, guildListing, 1)).toMatchObject({
      outcome: 'recorded',
      credits: 100,
    });
    expect(await send('premium_purchase', member, guildListing, 1)).toMatchObject({ outcome: 'duplicate' });
    expect(await send('subscription.renewed', member, guildListing, 1)).toMatchObject({ credits: 100 });
    expect(await store.ledgerIn(guild).account(member)).toMatchObject({ credits: 200 });
    expect(await store.ledgerIn(guild).account(other)).toMatchObject({ credits: 0 });
    expect(await store.ledgerIn(firstCommunity).account(other)).toMatchObject({ credits: 200 });
    await expectSound(url);
  });

  it('have corrections, claims and duplicates of their own', async () => {
    const { url, store } = await open();
    const correction = { userId: member, credits: 5, reason: 'test', at: start };
    const { recorder } = store;
    await recorder.correct({ ...correction, communityId: guild }, 'key');
    expect(await recorder.correct({ ...correction, communityId: guild }, 'key')).toMatchObject({ repeated: true });
    const ofHome = { ...correction, userId: other, communityId: firstCommunity };
    expect(await recorder.correct(ofHome, 'key')).toMatchObject({ outcome: 'corrected', repeated: false });
    expect(await recorder.correct({ ...ofHome, credits: 6 }, 'key')).toEqual({ outcome: 'key_reused' });
    const overdraft = { ...correction, communityId: firstCommunity, credits: -1 };
    expect(await recorder.correct(overdraft, 'other')).toMatchObject({ outcome: 'overdrawn', balance: 0 });
    const claimed = await store.recorder.recordClaim({ userId: member, at: start }, guildListing, start + minute);
    expect(claimed).toMatchObject({ outcome: 'claimed', balance: 15 });
    expect(await vote(store, guildListing, member, start)).toMatchObject({ outcome: 'recorded', credits: 0 });
    expect(await vote(store, guildListing, member, start)).toMatchObject({ outcome: 'duplicate' });
    expect(await store.communitiesOf(member)).toEqual([guild]);
    expect(await store.records.entries(accountIdOf(firstCommunity, member), 9)).toEqual([]);
    expect(await store.records.entries(accountIdOf(guild, member), 9)).toMatchObject([
      { cause: 'within_cooldown' },
      { cause: 'claim' },
      { cause: 'correction' },
    ]);
    expect(await store.records.deliveries({ userId: member, listings: ['home'], limit: 9, before: null })).toEqual([]);
    await expectSound(url);
  });

  it('have parties, shops, reminders and roles of their own', async () => {
    const { url, store } = await open();
    await vote(store, homeListing, member, start);
    await vote(store, guildListing, member, start);
    await vote(store, guildListing, other, start);
    expect(await store.party.progress('week 2026-W02')).toEqual({ votes: 1, reachedAt: null });
    const key = `${guild} week 2026-W02`;
    expect(await store.party.progress(key)).toEqual({ votes: 2, reachedAt: start });
    await store.party.pay({ period: key, goal: 2, credits: 25, day: 20_458 }, start);
    expect(await store.ledgerIn(guild).account(other)).toMatchObject({ credits: 35 });
    expect(await store.ledgerIn(firstCommunity).account(member)).toMatchObject({ credits: 10 });
    const item = itemOf({ id: 'vip', name: 'VIP', price: 20, role: '9' });
    const order = orderOf(item, { communityId: guild, guildId: guild, userId: other });
    expect(await store.shop.purchase(order, start)).toMatchObject({ outcome: 'purchased' });
    expect(await store.ledgerIn(guild).account(other)).toMatchObject({ credits: 15 });
    expect(await store.shop.purchasesOf(other, firstCommunity, 9)).toEqual([]);
    expect(await store.shop.purchasesOf(other, guild, 9)).toMatchObject([{ balance: 15 }]);
    // Discord rejects the role, so the account that paid gets its credits back.
    await store.roles.settleRole({ guildId: guild, userId: other, role: '9' }, 'failed', start);
    expect(await store.ledgerIn(guild).account(other)).toMatchObject({ credits: 35 });

    const reminded = accountIdOf(guild, member);
    await store.reminders.switchOn(reminded, [{ name: 'hosted', cooldownMs: 12 * hour, nextVoteAt: null }], start);
    expect(await store.reminders.isReminded(accountIdOf(firstCommunity, member))).toBe(false);
    await vote(store, homeListing, member, start + day);
    const reminder = { userId: member, listing: 'hosted', dueAt: start + 12 * hour };
    const claim = { maxDueAt: start + 9 * day, maxLeaseUntil: start + 9 * day, limit: 9 };
    const claimed = await store.reminders.claim({
      ...claim,
      now: start + 2 * day,
      leaseUntil: start + 3 * day,
    });
    expect(claimed).toEqual([reminder]);
    expect(await store.reminders.enqueue(reminder, guild, start + day)).toBe(`dm ${member} ${guild}`);
    expect(await store.reminders.isCurrent(reminder, { communityId: guild, cooldownMs: 12 * hour })).toBe(true);
    expect(await store.reminders.isCurrent(reminder, { communityId: firstCommunity, cooldownMs: 12 * hour })).toBe(
      false,
    );
    await store.reminders.stop(member, 'direct_messages_closed', start);
    expect(await store.reminders.isReminded(reminded)).toBe(false);

    const granted = async (accounts: string) =>
      (await store.standingsIn(accounts, 'UTC').standing(member, start)).grants.map(({ role }) => role);
    await fixHome(store.installation, home, [home, guild]);
    expect(await granted('')).toEqual([homeListing.rewards.voterRole?.role]);
    expect(await granted(guild)).toEqual([guildListing.rewards.voterRole?.role]);
    await expectSound(url);
  });

  it('export and forget a member together', async () => {
    const { url, store } = await open();
    await vote(store, homeListing, member, start);
    await vote(store, guildListing, member, start);
    await vote(store, guildListing, other, start);
    const exported = await store.memberData.export(member);
    expect(exported['balances']).toMatchObject([
      { user_id: member, guild_id: '' },
      { user_id: `${guild}:${member}`, guild_id: guild },
    ]);
    expect(exported['entries']).toHaveLength(2);
    await forgetMember(store.memberData, member, { pseudonym: createPseudonym(), now: start, keepVotesMs: day });
    expect(await store.communitiesOf(member)).toEqual([]);
    expect(await vote(store, guildListing, member, start)).toMatchObject({ outcome: 'duplicate' });
    const { members } = await store.standingsIn(guild, 'UTC').leaderboard(board, start);
    expect(members.map(({ userId }) => userId)).toEqual([other]);
    const snapshot = await openSnapshot(url);
    const entries: NumberedEntry[] = [];
    for await (const page of entryPages(snapshot, { userId: null, since: null })) entries.push(...page);
    await snapshot.close();
    expect(entries.map(({ guildId }) => guildId)).toEqual([null, guild, guild]);
    expect(entries.some(({ userId }) => userId === member)).toBe(false);
    await expectSound(url);
  });

  it('keep the home community that was stored first', async () => {
    const { store } = await open();
    const { installation } = store;
    expect(await fixHome(installation, null, [])).toBe(null);
    expect(await fixHome(installation, home, [home, guild])).toBe(home);
    expect(await fixHome(installation, guild, [guild, home])).toBe(home);
    await vote(store, guildListing, member, start);
    expect(await fixHome(installation, guild, [guild])).toBe(home);
    expect(await fixHome(installation, '5', ['5'])).toBe('5');
  });

  it('keep the home community when its listings leave the settings, unless its guild has accounts of its own', async () => {
    const { store } = await open();
    const homeWithout = () => prepareAccounts(store, []);
    expect(await homeWithout()).toBe(null);
    await fixHome(store.installation, guild, [guild]);
    expect(await homeWithout()).toBe(guild);
    await vote(store, guildListing, member, start);
    expect(await homeWithout()).toBe(null);
  });

  it('are scanned one by one, also the home community between the others', async () => {
    const { store } = await open();
    for (const userId of ['100000000000000009', '400000000000000004', '900000000000000009']) {
      await vote(store, homeListing, userId, start);
    }
    for (const [index, id] of ['300000000000000003', '500000000000000005', '70000000000000007'].entries()) {
      for (let n = 0; n <= index; n += 1)
        await vote(store, listingOf(`l${id}`, id, id), `20000000000000000${n}`, start);
    }
    const membersOf = async (accounts: string) =>
      (await store.standingsIn(accounts, 'UTC').leaderboard(board, start)).members.map(({ userId }) => userId);
    expect(await membersOf('')).toEqual(['100000000000000009', '400000000000000004', '900000000000000009']);
    expect(await membersOf('500000000000000005')).toEqual(['200000000000000000', '200000000000000001']);
    const streaks = await store.lostStreaks.find({
      ...{ communityId: firstCommunity, from: 20_459, until: 20_460, minDays: 1, forgive: 0, timeZone: 'UTC' },
    });
    expect(streaks.map(({ userId }) => userId).sort()).toEqual(await membersOf(''));
  });
});
