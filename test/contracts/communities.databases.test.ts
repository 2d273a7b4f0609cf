import { systemClock } from '@tallyhook/platform/clock';
import { day, hour, minute } from '@tallyhook/platform/durations';
import { expect, it, onTestFinished } from 'vitest';
import { accountIdOf, type CommunityId, createPseudonym, noCommunity } from '../../src/core/ledger/account.ts';
import type { LeaderboardQuery } from '../../src/core/ledger/standing.ts';
import { entryPages, type NumberedEntry } from '../../src/core/store/snapshots/audit.ts';
import { openSnapshot } from '../../src/core/store/snapshots/snapshot.ts';
import type { ListingContext } from '../../src/core/tally/listing-context.ts';
import { forgetMember } from '../../src/features/member-data/store.ts';
import { partyKey } from '../../src/features/party/rules.ts';
import { openStore } from '../../src/features/store.ts';
import { addCommunity, firstCommunity } from '../support/communities.ts';
import { describeOnEveryDatabase } from '../support/databases.ts';
import { takeDue } from '../support/due-effects.ts';
import { serverAndBot } from '../support/listings.ts';
import { directMessageQueue } from '../support/queues.ts';
import { recordVote } from '../support/record-vote.ts';
import { itemOf, orderOf } from '../support/shop-store.ts';
import { isConsistent, openLedger } from '../support/voting.ts';

const [server] = serverAndBot();
const start = Date.UTC(2026, 0, 5, 12);
const [guildA, guildB] = ['100000000000000001', '613425648685547541'];
const member = '200000000000000001';
const other = '200000000000000002';
const rewards = {
  ...server.rewards,
  streak: { every: 2, credits: 50, forgive: 0 },
  milestones: [{ votes: 2, repeats: 'once', credits: 100, role: null }],
  voterRole: { role: '700000000000000001', forMs: 12 * hour },
  party: { goal: 2, per: 'week', credits: 25 },
} as const;

function listingOf(name: string, id: CommunityId, guildId: string): ListingContext {
  const community = { guildId, id, timeZone: 'UTC', listings: [name] };
  const voterRole = { ...rewards.voterRole, role: `7${guildId.slice(1)}` };
  return { ...server, name, kind: 'server', rewards: { ...rewards, voterRole }, community } as ListingContext;
}

const board: LeaderboardQuery = { period: 'all', by: 'votes', limit: 10, offset: 0, userId: null };

describeOnEveryDatabase('two communities', (newUrl) => {
  async function open() {
    const url = newUrl();
    const store = await openLedger(url, systemClock);
    const [idOfA, idOfB] = (await store.communityIds.addConfigured([guildA, guildB])).map(({ id }) => id);
    if (idOfA === undefined || idOfB === undefined) throw new Error('no community');
    return { url, store, idOfA, idOfB, ofA: listingOf('a', idOfA, guildA), ofB: listingOf('b', idOfB, guildB) };
  }

  it('have accounts, streaks, milestones, ranks and leaderboards of their own', async () => {
    const { url, store, idOfA, idOfB, ofA, ofB } = await open();
    const plain = { ...ofA, rewards: { ...ofA.rewards, party: null } };
    const plainGuild = { ...ofB, rewards: { ...ofB.rewards, party: null } };
    await recordVote(store, plain, member, start);
    await recordVote(store, plain, member, start + day);
    await recordVote(store, plainGuild, member, start + day);
    await recordVote(store, plainGuild, other, start + day);
    // The late delivery of an earlier vote looks only at its own account.
    expect(await recordVote(store, plainGuild, member, start)).toMatchObject({ credits: 10 + 50 + 100 });
    const [standingsOfA, standingsOfB] = [store.standingsIn(idOfA, 'UTC'), store.standingsIn(idOfB, 'UTC')];
    expect(await store.ledgerIn(idOfA).account(member)).toEqual({ userId: member, credits: 170, votes: 2 });
    expect(await store.ledgerIn(idOfB).account(member)).toEqual({ userId: member, credits: 170, votes: 2 });
    expect(await store.ledgerIn(idOfB).lastVoteAt(member, 'a')).toBe(null);
    expect(await standingsOfA.standing(other, start + day)).toMatchObject({ credits: 0, rank: null, entries: [] });
    expect(await standingsOfB.standing(other, start + day)).toMatchObject({
      credits: 10,
      rank: 2,
      streak: { days: 1 },
    });
    const members = async (standings: typeof standingsOfA) => (await standings.leaderboard(board, start + day)).members;
    expect((await members(standingsOfA)).map(({ userId }) => userId)).toEqual([member]);
    expect(await members(standingsOfB)).toMatchObject([
      { userId: member, score: 2 },
      { userId: other, score: 1 },
    ]);
    expect(await store.communitiesOf(member)).toEqual([idOfA, idOfB]);
    expect(await store.communitiesOf(other)).toEqual([idOfB]);
    expect(await isConsistent(url)).toBe(true);
  });

  it('have corrections, claims and duplicates of their own', async () => {
    const { url, store, idOfA, idOfB, ofB } = await open();
    const correction = { userId: member, credits: 5, reason: 'test', at: start };
    const { recorder } = store;
    await recorder.correct({ ...correction, communityId: idOfB }, 'key');
    expect(await recorder.correct({ ...correction, communityId: idOfB }, 'key')).toMatchObject({ repeated: true });
    const inA = { ...correction, userId: other, communityId: idOfA };
    expect(await recorder.correct(inA, 'key')).toMatchObject({ outcome: 'corrected', repeated: false });
    expect(await recorder.correct({ ...inA, credits: 6 }, 'key')).toEqual({ outcome: 'key_reused' });
    const overdraft = { ...correction, communityId: idOfA, credits: -1 };
    expect(await recorder.correct(overdraft, 'other')).toMatchObject({ outcome: 'overdrawn', balance: 0 });
    const claimed = await store.recorder.recordClaim({ userId: member, at: start }, ofB, start + minute);
    expect(claimed).toMatchObject({ outcome: 'claimed', balance: 15 });
    expect(await recordVote(store, ofB, member, start)).toMatchObject({ outcome: 'recorded', credits: 0 });
    expect(await recordVote(store, ofB, member, start)).toMatchObject({ outcome: 'duplicate' });
    expect(await store.communitiesOf(member)).toEqual([idOfB]);
    expect(await store.records.entries(accountIdOf(idOfA, member), 9)).toEqual([]);
    expect(await store.records.entries(accountIdOf(idOfB, member), 9)).toMatchObject([
      { cause: 'within_cooldown' },
      { cause: 'claim' },
      { cause: 'correction' },
    ]);
    expect(await store.records.deliveries({ userId: member, listings: ['a'], limit: 9, before: null })).toEqual([]);
    expect(await isConsistent(url)).toBe(true);
  });

  it('have parties, shops, reminders and roles of their own', async () => {
    const { url, store, idOfA, idOfB, ofA, ofB } = await open();
    await recordVote(store, ofA, member, start);
    await recordVote(store, ofB, member, start);
    await recordVote(store, ofB, other, start);
    expect(await store.party.progress(partyKey(idOfA, 'week 2026-W02'))).toEqual({ votes: 1, reachedAt: null });
    const key = partyKey(idOfB, 'week 2026-W02');
    expect(await store.party.progress(key)).toEqual({ votes: 2, reachedAt: start });
    await store.party.pay({ period: key, goal: 2, credits: 25, day: 20_458 }, start);
    expect(await store.ledgerIn(idOfB).account(other)).toMatchObject({ credits: 35 });
    expect(await store.ledgerIn(idOfA).account(member)).toMatchObject({ credits: 10 });
    const item = itemOf({ id: 'vip', name: 'VIP', price: 20, role: '9' });
    const order = orderOf(item, { communityId: idOfB, guildId: guildB, userId: other });
    expect(await store.shop.purchase(order, start)).toMatchObject({ outcome: 'purchased' });
    expect(await store.ledgerIn(idOfB).account(other)).toMatchObject({ credits: 15 });
    expect(await store.shop.purchasesOf(other, idOfA, 9)).toEqual([]);
    expect(await store.shop.purchasesOf(other, idOfB, 9)).toMatchObject([{ balance: 15 }]);
    // Discord rejects the role, so the account that paid gets its credits back.
    await store.roles.settleRole({ guildId: guildB, userId: other, role: '9' }, 'failed', start);
    expect(await store.ledgerIn(idOfB).account(other)).toMatchObject({ credits: 35 });

    const reminded = accountIdOf(idOfB, member);
    await store.reminders.switchOn(reminded, [{ name: 'b', cooldownMs: 12 * hour, nextVoteAt: null }], start);
    expect(await store.reminders.isReminded(accountIdOf(idOfA, member))).toBe(false);
    await recordVote(store, ofA, member, start + day);
    const reminder = { userId: member, listing: 'b', dueAt: start + 12 * hour };
    const { listing, dueAt } = reminder;
    expect(await takeDue(store, start + 12 * hour)).toMatchObject([
      { queue: directMessageQueue(member, idOfB), content: { userId: member, message: { listing, dueAt } } },
    ]);
    const rules = { name: 'b', cooldownMs: 12 * hour };
    expect(await store.reminders.isCurrent(reminder, { ...rules, communityId: idOfB })).toBe(true);
    expect(await store.reminders.isCurrent(reminder, { ...rules, communityId: idOfA })).toBe(false);
    await store.reminders.stop(member, 'direct_messages_closed', start);
    expect(await store.reminders.isReminded(reminded)).toBe(false);

    const granted = async (communityId: CommunityId) =>
      (await store.standingsIn(communityId, 'UTC').standing(member, start)).grants.map(({ role }) => role);
    expect(await granted(idOfA)).toEqual([ofA.rewards.voterRole?.role]);
    expect(await granted(idOfB)).toEqual([ofB.rewards.voterRole?.role]);
    expect(await isConsistent(url)).toBe(true);
  });

  it('export and forget a member together', async () => {
    const { url, store, idOfA, idOfB, ofA, ofB } = await open();
    await recordVote(store, ofA, member, start);
    await recordVote(store, ofB, member, start);
    await recordVote(store, ofB, other, start);
    const exported = await store.memberData.export(member);
    expect(exported['balances']).toMatchObject([
      { account_id: accountIdOf(idOfA, member) },
      { account_id: accountIdOf(idOfB, member) },
    ]);
    expect(exported['entries']).toHaveLength(2);
    await forgetMember(store.memberData, member, { pseudonym: createPseudonym(), now: start, keepVotesMs: day });
    expect(await store.communitiesOf(member)).toEqual([]);
    expect(await recordVote(store, ofB, member, start)).toMatchObject({ outcome: 'duplicate' });
    const { members } = await store.standingsIn(idOfB, 'UTC').leaderboard(board, start);
    expect(members.map(({ userId }) => userId)).toEqual([other]);
    const snapshot = await openSnapshot(url);
    const entries: NumberedEntry[] = [];
    for await (const page of entryPages(snapshot, { userId: null, since: null })) entries.push(...page);
    await snapshot.close();
    expect(entries.map(({ guildId }) => guildId)).toEqual([guildA, guildB, guildB]);
    expect(entries.some(({ userId }) => userId === member)).toBe(false);
    expect(await isConsistent(url)).toBe(true);
  });

  it('are scanned one by one, also where one id begins with another one', async () => {
    const { store, idOfA, ofA } = await open();
    const guildIds = Array.from({ length: 10 }, (_, index) => String(300_000_000_000_000_000n + BigInt(index)));
    const all = (await store.communityIds.add(guildIds)).filter(({ guildId }) => guildId !== guildA);
    const others = all.map(({ id, guildId }) => listingOf(`l${id}`, id, guildId ?? ''));
    expect(all.some(({ id }) => String(id).startsWith(String(idOfA)))).toBe(true);
    const ofFirst = ['100000000000000009', '400000000000000004', '900000000000000009'];
    for (const userId of ofFirst) await recordVote(store, ofA, userId, start);
    for (const listing of others) for (const userId of [member, other]) await recordVote(store, listing, userId, start);
    const membersOf = async (communityId: CommunityId) =>
      (await store.standingsIn(communityId, 'UTC').leaderboard(board, start)).members.map(({ userId }) => userId);
    expect(await membersOf(idOfA)).toEqual(ofFirst);
    for (const { id } of all) expect(await membersOf(id)).toEqual([member, other]);
    const streaks = await store.lostStreaks.find({
      ...{ communityId: idOfA, from: 20_459, until: 20_460, minDays: 1, forgive: 0, timeZone: 'UTC' },
    });
    expect(streaks.map(({ userId }) => userId).sort()).toEqual(ofFirst);
  });
});

describeOnEveryDatabase('the default community', (newUrl) => {
  async function open() {
    const store = await openLedger(newUrl(), systemClock);
    /** The ids by guild, as a process with these guilds in its settings finds them. */
    const configure = async (...guildIds: readonly string[]) =>
      Object.fromEntries((await store.communityIds.addConfigured(guildIds)).map(({ id, guildId }) => [guildId, id]));
    const creditsIn = async (id: number | undefined) =>
      (await store.ledgerIn((id ?? noCommunity) as CommunityId).account(member)).credits;
    return { store, configure, creditsIn };
  }

  it('gets the first guild of the settings, and its accounts stay', async () => {
    const { store, configure, creditsIn } = await open();
    expect(await configure()).toEqual({ null: firstCommunity });
    await recordVote(store, { ...server, community: { ...server.community, guildId: null } }, member, start);
    expect(await configure(guildA, guildB)).toEqual({ [guildA]: firstCommunity, [guildB]: 2 });
    expect(await creditsIn(firstCommunity)).toBe(10);
    expect(await store.communitiesOf(member)).toEqual([firstCommunity]);
  });

  it('gets no guild that has accounts of its own, and one without accounts', async () => {
    const { store, configure, creditsIn } = await open();
    const own = await addCommunity(store, guildB);
    await recordVote(store, listingOf('b', own, guildB), member, start);
    expect(await configure(guildB, guildA)).toEqual({ null: firstCommunity, [guildB]: own, [guildA]: 3 });
    expect(await creditsIn(own)).toBe(10);
    expect(await creditsIn(firstCommunity)).toBe(0);
    // It was added when its guild was the second one.
    const ids = await configure(guildA);
    expect(ids).toEqual({ [guildA]: firstCommunity, [guildB]: own, null: 3 });
  });

  it('keeps its guild in another order of the settings, which moves no credits', async () => {
    const { store, configure, creditsIn } = await open();
    const before = await configure(guildA, guildB);
    await recordVote(store, listingOf('a', firstCommunity, guildA), member, start);
    for (const order of [[guildB, guildA], [guildB], [], ['700000000000000009', guildB]]) {
      expect(await configure(...order)).toMatchObject(before);
    }
    expect([await creditsIn(before[guildA]), await creditsIn(before[guildB])]).toEqual([10, 0]);
  });

  it('is added once, and each guild too, by processes that start at the same time', async () => {
    const url = newUrl();
    const stores = await Promise.all(Array.from({ length: 3 }, () => openStore(url, systemClock, { thread: false })));
    onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))));
    const found = await Promise.all(stores.map(({ communityIds }) => communityIds.addConfigured([guildA, guildB])));
    for (const each of found) expect(each).toEqual(found[0]);
    expect(found[0]).toMatchObject([
      { id: firstCommunity, guildId: guildA, isDefault: true },
      { guildId: guildB, isDefault: false },
    ]);
  });
});
