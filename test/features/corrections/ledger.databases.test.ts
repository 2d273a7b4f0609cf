import { day, hour } from '@tallyhook/platform/durations';
import { createLog } from '@tallyhook/platform/log';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { prepareCommunities } from '../../../src/features/communities/community-ids.ts';
import { createDirectory } from '../../../src/features/communities/directory.ts';
import { createLedger } from '../../../src/features/corrections/program-ledger.ts';
import { createReversals } from '../../../src/features/corrections/store.ts';
import { addCommunity, firstCommunity } from '../../support/communities.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { ledgerOver } from '../../support/ledger.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';
import { castVote, guildId, installation, isConsistent, monday, openLedger } from '../../support/voting.ts';

const userId = '200000000000000001';
const reason = 'quiz night';

describeOnEveryDatabase('the writable ledger', (newUrl) => {
  async function open(url = newUrl()) {
    const store = await openLedger(url);
    const other = await addCommunity(store, guildId);
    const ledger = ledgerOver(store, monday, { [guildId]: other });
    const balance = async (communityId = firstCommunity) => (await store.ledgerIn(communityId).account(userId)).credits;
    return { url, ledger, other, balance };
  }

  it('writes one entry per key, also if two processes use it at the same time', async () => {
    const url = newUrl();
    const [one, two] = await Promise.all([open(url), open(url)]);
    const award = { userId, credits: 30, reason, key: 'a' };
    const results = await Promise.all([one.ledger.award(award), two.ledger.award(award), one.ledger.award(award)]);
    expect(results.map(({ balance }) => balance)).toEqual([30, 30, 30]);
    expect(results.filter(({ repeated }) => !repeated).length).toBe(1);
    await one.ledger.award({ ...award, key: 'b' });
    expect(await two.ledger.award(award)).toEqual({ credits: 30, balance: 30, repeated: true });
    expect(await one.balance()).toBe(60);
  });

  it('has the keys of each community apart', async () => {
    const { ledger, other, balance } = await open();
    const change = { userId, credits: 30, reason, key: 'contest-2026-1' };
    const spending = { ...change, credits: 10, key: 'ticket' };
    for (const place of [{}, { guildId }]) {
      expect(await ledger.award({ ...change, ...place })).toEqual({ credits: 30, balance: 30, repeated: false });
      expect(await ledger.spend({ ...spending, ...place })).toEqual({ credits: -10, balance: 20, repeated: false });
    }
    expect(await ledger.refund({ key: 'ticket', reason, guildId })).toMatchObject({ balance: 30, repeated: false });
    expect([await balance(), await balance(other)]).toEqual([20, 30]);
    await expect(ledger.spend(spending)).resolves.toMatchObject({ repeated: true });
  });

  it('spends less than the balance only if that is allowed', async () => {
    const { ledger, balance } = await open();
    await ledger.award({ userId, credits: 5, reason, key: 'a' });
    const spending = { userId, credits: 6, reason, key: 'b' };
    const twice = await Promise.allSettled([
      ledger.spend({ ...spending, credits: 5, key: 'c' }),
      ledger.spend({ ...spending, credits: 5, key: 'd' }),
    ]);
    expect(twice.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(ledger.spend(spending)).rejects.toMatchObject({ code: 'ledger_overdrawn' });
    expect(await balance()).toBe(0);
    expect(await ledger.spend({ ...spending, allowNegative: true })).toMatchObject({ balance: -6, repeated: false });
    expect(await balance()).toBe(-6);
  });

  it('refunds what was spent with a key, once, and takes nothing more with it', async () => {
    const { url, ledger, balance } = await open();
    await ledger.award({ userId, credits: 30, reason, key: 'a' });
    const spending = { userId, credits: 20, reason, key: 'b' };
    const refund = { key: 'b', reason: 'cancelled' };
    const refunded = { code: 'ledger_refunded', message: expect.stringContaining('"b"') };
    for (const key of ['a', 'b']) {
      await expect(ledger.refund({ ...refund, key })).rejects.toMatchObject({ code: 'ledger_unknown_spend' });
    }
    expect(await ledger.spend(spending)).toMatchObject({ balance: 10, repeated: false });
    expect(await ledger.spend(spending)).toMatchObject({ balance: 10, repeated: true });
    expect(await ledger.refund(refund)).toEqual({ credits: 20, balance: 30, repeated: false });
    for (const change of [{}, { credits: 5 }, { reason: 'another' }, { allowNegative: true }]) {
      await expect(ledger.spend({ ...spending, ...change })).rejects.toMatchObject(refunded);
    }
    await expect(ledger.award(spending)).rejects.toMatchObject(refunded);
    expect(await ledger.refund({ ...refund, reason: 'again' })).toEqual({ credits: 20, balance: 30, repeated: true });
    await expect(ledger.spend(spending)).rejects.toMatchObject(refunded);
    expect(await ledger.spend({ ...spending, key: 'c' })).toMatchObject({ balance: 10, repeated: false });
    expect(await balance()).toBe(10);
    expect(await isConsistent(url)).toBe(true);
  });

  it('of two processes never reports a spend as paid after its refund', async () => {
    const url = newUrl();
    const [one, two] = await Promise.all([open(url), open(url)]);
    await one.ledger.award({ userId, credits: 30, reason, key: 'a' });
    const spending = { userId, credits: 20, reason, key: 'b' };
    await one.ledger.spend(spending);
    const results = await Promise.allSettled([
      ...Array.from({ length: 5 }, () => two.ledger.spend(spending)),
      one.ledger.refund({ key: 'b', reason }),
    ]);
    expect(results.at(-1)).toMatchObject({ status: 'fulfilled', value: { balance: 30 } });
    for (const result of results.slice(0, -1)) {
      expect(result.status === 'fulfilled' ? result.value.repeated : result.reason.code).toBeOneOf([
        true,
        'ledger_refunded',
      ]);
    }
    await expect(two.ledger.spend(spending)).rejects.toMatchObject({ code: 'ledger_refunded' });
    expect(await one.balance()).toBe(30);
  });

  it('stores nothing for a change that is not valid', async () => {
    const { ledger, balance } = await open();
    const award = { userId, credits: 30, reason, key: 'a' };
    const invalid = [
      ...[{ credits: 0 }, { credits: -5 }, { credits: 1.5 }, { credits: Number.NaN }, { credits: 1_000_001 }],
      ...[{ userId: 'Ada' }, { reason: ' ' }, { reason: 'x'.repeat(201) }, { key: '' }, { key: 'x'.repeat(101) }],
      { guildID: '1' },
    ];
    for (const change of invalid) {
      await expect(ledger.award({ ...award, ...change })).rejects.toMatchObject({ code: 'ledger_invalid_change' });
    }
    const elsewhere = ledger.award({ ...award, guildId: '1' });
    await expect(elsewhere).rejects.toMatchObject({ code: 'ledger_unknown_community' });
    expect(await balance()).toBe(0);
  });
});

const ada = '200000000000000001';
const bo = '200000000000000002';
const because = 'a bet';
const elsewhere = '700000000000000009';
/** A listing of another community. */
const bees = { ...harbour, name: 'bees', id: '3000', lookupKey: 'key-of-the-bees', guildId: elsewhere };

describeOnEveryDatabase('the ledger', (newUrl) => {
  async function open(url = newUrl(), others: readonly object[] = [bees]) {
    const store = await openLedger(url);
    const { environment } = installation(url, {});
    const { listings } = loadConfig({ ...environment, ...environmentWith([...others, { ...harbour, guildId }]) });
    const { of } = await prepareCommunities(store.communityIds, listings);
    const directory = createDirectory(listings, of);
    const sources = { store, directory, clock: { now: () => monday } };
    const ledger = createLedger(sources, guildId);
    const vote = (userId: string) =>
      castVote(store, { environment, listings: [...directory.listings] }, userId, monday);
    const balances = async () => [await ledger.account(ada), await ledger.account(bo)].map((each) => each?.credits);
    return { url, store, ledger, withoutDefault: createLedger(sources), vote, balances };
  }

  async function withCredits(credits: number, url?: string) {
    const opened = await open(url);
    await opened.ledger.award({ userId: ada, credits, reason: 'start', key: 'start' });
    return opened;
  }

  const bet = { from: ada, to: bo, credits: 20, reason: because, key: 'bet 1' };

  it('moves credits from one member to another, both or none, once per key', async () => {
    const { url, ledger, balances } = await withCredits(30);
    const moved = { credits: 20, fromBalance: 10, toBalance: 20 };
    expect(await ledger.transfer(bet)).toEqual({ ...moved, repeated: false });
    await ledger.award({ userId: bo, credits: 1, reason: because, key: 'more' });
    expect(await ledger.transfer(bet)).toEqual({ ...moved, repeated: true });
    await expect(ledger.transfer({ ...bet, key: 'bet 2' })).rejects.toMatchObject({ code: 'ledger_overdrawn' });
    expect(await balances()).toEqual([10, 21]);
    expect(await ledger.transfer({ ...bet, key: 'bet 2', allowNegative: true })).toMatchObject({ fromBalance: -10 });
    expect(await ledger.entries(ada)).toMatchObject([
      { credits: -20, cause: 'correction', reason: because, key: 'bet 2' },
      { credits: -20, cause: 'correction', reason: because, key: 'bet 1' },
      { credits: 30, reason: 'start', key: 'start' },
    ]);
    expect(await ledger.entries(bo, { limit: 1 })).toMatchObject([{ credits: 20, reason: because, key: 'bet 2' }]);
    expect(await isConsistent(url)).toBe(true);
  });

  it('uses one key for both sides of a transfer', async () => {
    const { ledger, balances } = await withCredits(30);
    await ledger.spend({ userId: ada, credits: 1, reason: because, key: 'spent' });
    await ledger.transfer(bet);
    const reused = { code: 'ledger_key_reused' };
    for (const change of [
      { to: '200000000000000003' },
      { credits: 19 },
      { reason: 'another' },
      { from: bo, to: ada },
    ]) {
      await expect(ledger.transfer({ ...bet, ...change })).rejects.toMatchObject(reused);
    }
    for (const key of ['start', 'spent']) {
      await expect(ledger.transfer({ ...bet, key, credits: 1 })).rejects.toMatchObject(reused);
    }
    await expect(ledger.award({ ...bet, userId: bo })).rejects.toMatchObject(reused);
    await expect(ledger.spend({ ...bet, userId: ada })).rejects.toMatchObject(reused);
    await expect(ledger.refund({ key: bet.key, reason: because })).rejects.toMatchObject({
      code: 'ledger_unknown_spend',
    });
    expect(await balances()).toEqual([9, 20]);
  });

  it('stores nothing for a transfer that is not valid', async () => {
    const { ledger, balances } = await withCredits(30);
    for (const change of [{ to: ada }, { to: 'Bo' }, { from: 'Ada' }, { credits: 0 }, { credits: -1 }, { key: '' }]) {
      await expect(ledger.transfer({ ...bet, ...change })).rejects.toMatchObject({ code: 'ledger_invalid_change' });
    }
    const elsewhere = ledger.transfer({ ...bet, guildId: '1' });
    await expect(elsewhere).rejects.toMatchObject({ code: 'ledger_unknown_community' });
    expect(await balances()).toEqual([30, undefined]);
  });

  it('moves credits in both directions at once, over two processes', async () => {
    const url = newUrl();
    const [one, two] = [await withCredits(100, url), await open(url)];
    await one.ledger.award({ userId: bo, credits: 100, reason: because, key: 'bo' });
    const transfers = Array.from({ length: 40 }, (_, index) => {
      const { ledger } = index % 4 < 2 ? one : two;
      const [from, to] = index % 2 === 0 ? [ada, bo] : [bo, ada];
      return ledger.transfer({ from, to, credits: 1, reason: because, key: `round ${Math.floor(index / 4)} ${from}` });
    });
    // Each key is used by both processes.
    const results = await Promise.all(transfers);
    expect(results.filter(({ repeated }) => repeated).length).toBe(20);
    expect(await one.balances()).toEqual([100, 100]);
    expect(await isConsistent(url)).toBe(true);
  });

  it('reads the account of a member in one community, and null for a member without one', async () => {
    const { ledger, withoutDefault } = await withCredits(30);
    await withoutDefault.award({ userId: ada, credits: 5, reason: because, key: 'elsewhere', guildId: elsewhere });
    const account = { userId: ada, credits: 30, votes: 0 };
    expect(await ledger.account(ada)).toEqual(account);
    expect(await withoutDefault.account(ada, { guildId })).toEqual(account);
    expect(await ledger.account(ada, { guildId: elsewhere })).toEqual({ ...account, credits: 5 });
    // It was that of listings without a guild until its guild was known.
    expect(await withoutDefault.account(ada, { guildId: null })).toEqual({ ...account, credits: 5 });
    expect(await ledger.account(bo)).toBe(null);
    expect(await withoutDefault.account(bo, { guildId: elsewhere })).toBe(null);
    expect(await ledger.lastVoteAt(bo, null)).toBe(null);
  });

  it('has to name the community where there are several, which are then listed', async () => {
    const { withoutDefault: ledger, vote } = await withCredits(30);
    await vote(ada);
    const several = {
      code: 'ledger_unknown_community',
      message: expect.stringContaining(`: ${elsewhere} (bees); ${guildId} (harbour).`),
    };
    const change = { userId: ada, credits: 1, reason: because, key: 'unnamed' };
    for (const call of [
      () => ledger.award(change),
      () => ledger.spend(change),
      () => ledger.refund({ key: 'start', reason: because }),
      () => ledger.transfer(bet),
      () => ledger.account(ada),
      () => ledger.lastVoteAt(ada, null),
      () => ledger.entries(ada),
      () => ledger.standings('all', 'credits'),
    ]) {
      await expect(call()).rejects.toMatchObject(several);
    }
    expect(await ledger.account(ada, { guildId })).toMatchObject({ credits: 40 });
    expect(await ledger.lastVoteAt(ada, 'harbour')).toBe(monday);
  });

  it('means the only community where there is one', async () => {
    const { ledger, withoutDefault } = await open(newUrl(), []);
    expect(await withoutDefault.award({ userId: ada, credits: 7, reason: because, key: 'a' })).toMatchObject({
      balance: 7,
    });
    expect(await withoutDefault.account(ada)).toEqual(await ledger.account(ada));
    expect(await withoutDefault.standings('all', 'credits')).toMatchObject({ members: [{ userId: ada, score: 7 }] });
  });

  it('reads the entries of a member in pages, with those of votes', async () => {
    const { ledger, withoutDefault, vote } = await open();
    await vote(ada);
    for (const key of ['a', 'b', 'c']) await ledger.award({ userId: ada, credits: 1, reason: `prize ${key}`, key });
    await ledger.spend({ userId: ada, credits: 2, reason: because, key: 'd' });
    await ledger.refund({ key: 'd', reason: 'cancelled' });
    const keys: unknown[] = [];
    let before: number | null = null;
    for (let page = await ledger.entries(ada, { limit: 2 }); page.length > 0; ) {
      keys.push(...page.map(({ cause, key }) => key ?? cause));
      before = page.at(-1)?.id ?? null;
      page = await ledger.entries(ada, { limit: 2, before });
    }
    expect(keys).toEqual(['d', 'd', 'c', 'b', 'a', 'vote']);
    const entries = await withoutDefault.entries(ada, { guildId });
    expect(entries.at(-1)).toEqual({
      ...{ id: before, at: monday, cause: 'vote', credits: 10, listing: 'harbour', reason: null, deliveryId: 1 },
    });
    expect(await ledger.entries(bo)).toEqual([]);
    expect(await withoutDefault.entries(ada, { guildId: elsewhere })).toEqual([]);
    expect(await ledger.lastVoteAt(ada, 'harbour')).toBe(monday);
  });

  it('ranks the members of a community', async () => {
    const { ledger, withoutDefault, vote } = await open();
    await vote(ada);
    await ledger.award({ userId: bo, credits: 50, reason: because, key: 'a' });
    const [first, second] = [
      { userId: bo, score: 50, rank: 1 },
      { userId: ada, score: 10, rank: 2 },
    ];
    expect(await ledger.standings('all', 'credits', { userId: ada })).toMatchObject({
      ...{ members: [first, second], total: 2, own: second },
    });
    expect(await ledger.standings('all', 'credits', { limit: 1, offset: 1 })).toMatchObject({ members: [second] });
    expect((await ledger.standings('week', 'votes')).members).toEqual([{ userId: ada, score: 1, rank: 1 }]);
    expect((await withoutDefault.standings('week', 'votes', { guildId: elsewhere })).members).toEqual([]);
    expect((await withoutDefault.standings('week', 'votes', { guildId })).total).toBe(1);
  });

  it('says what is not valid in a read', async () => {
    const { ledger } = await open();
    const untyped: Record<keyof typeof ledger, (...args: unknown[]) => Promise<unknown>> = { ...ledger } as never;
    const invalid = [
      ...[untyped.account('zz'), untyped.account(42), untyped.lastVoteAt(undefined, null), untyped.entries('zz')],
      ...[0, 101, 1.5, '5'].map((limit) => untyped.entries(ada, { limit })),
      ...[-1, 'x'].map((before) => untyped.entries(ada, { before })),
      ...[untyped.standings('day', 'votes'), untyped.standings('week', 'wins'), untyped.standings()],
      ...[{ limit: 0 }, { offset: -1 }, { userId: 'zz' }].map((query) => untyped.standings('week', 'votes', query)),
    ];
    for (const read of invalid) await expect(read).rejects.toMatchObject({ code: 'ledger_invalid_change' });
    const unknown = { code: 'ledger_unknown_community' };
    for (const read of [ledger.account, ledger.entries]) {
      await expect(read(ada, { guildId: '1' })).rejects.toMatchObject(unknown);
    }
    await expect(ledger.standings('week', 'votes', { guildId: '1' })).rejects.toMatchObject(unknown);
  });
});

const [voter, anchor] = ['700', '701'];
const rules = {
  vote: 10,
  streak: { every: 2, credits: 50 },
  milestones: [{ votes: 3, credits: 100, role: anchor }],
  voterRole: { role: voter, for: '12h' },
};
const today = monday + 3 * day;
const log = createLog({ level: 'silent', secrets: [] });

describeOnEveryDatabase('the reversal of votes between two times', (newUrl) => {
  async function open(rewards: Parameters<typeof installation>[1] = rules) {
    const url = newUrl();
    const store = await openLedger(url, today);
    const program = installation(url, rewards);
    const clock = manualClock(today);
    const reversals = createReversals({ store, listingsOf: () => program.listings, clock, log });
    const cast = (userId: string, at: number, listing: 'harbour' | 'pier' = 'harbour') =>
      castVote(store, program, userId, at, { listing });
    const range = { listing: 'harbour', from: today - day, until: today + hour };
    return { url, store, reversals, cast, range, account: store.ledgerIn(firstCommunity).account };
  }

  it('takes back what they have earned, and leaves other votes alone', async () => {
    const { url, store, reversals, cast, range, account } = await open();
    for (const at of [monday + day, today - hour]) await cast('1', at);
    await cast('1', today, 'pier');
    await cast('2', today);
    await cast('3', monday);
    expect(await account('1')).toMatchObject({ credits: 130, votes: 3 });
    const planned = { members: 2, votes: 2, credits: 20 };
    expect(await reversals.preview(range)).toEqual(planned);
    expect(await account('1')).toMatchObject({ credits: 130, votes: 3 });
    expect(await reversals.reverse(range)).toEqual({ members: 2, votes: 2, credits: 120, spent: 0 });
    expect(await account('1')).toMatchObject({ credits: 20, votes: 2 });
    expect(await account('2')).toMatchObject({ credits: 0, votes: 0 });
    expect(await account('3')).toMatchObject({ credits: 10, votes: 1 });
    expect(await store.ledgerIn(firstCommunity).lastVoteAt('1', ['harbour'])).toBe(monday + day);
    expect(await store.ledgerIn(firstCommunity).lastVoteAt('2', ['harbour'])).toBeNull();
    const standings = store.standingsIn(firstCommunity, 'UTC');
    const board = { period: 'week', by: 'credits', limit: 5, offset: 0, userId: null } as const;
    expect((await standings.leaderboard(board, today)).members).toMatchObject([
      { userId: '1', score: 20 },
      { userId: '3', score: 10 },
    ]);
    expect(await isConsistent(url)).toBe(true);
  });

  it('takes back the streak, and pays it and a milestone again when they are reached again', async () => {
    const { url, reversals, cast, range, account } = await open();
    for (const at of [today - 2 * day, today - day, today]) await cast('1', at);
    expect(await account('1')).toMatchObject({ credits: 180, votes: 3 });
    expect(await reversals.reverse(range)).toMatchObject({ members: 1, votes: 2, credits: 170 });
    expect(await account('1')).toMatchObject({ credits: 10, votes: 1 });
    for (const at of [today + day, today + 2 * day]) await cast('1', at);
    expect(await account('1')).toMatchObject({ credits: 180, votes: 3 });
    expect(await isConsistent(url)).toBe(true);
  });

  it('takes back the bonus for the first vote of a day, and pays it again if that day has a first vote again', async () => {
    const { url, reversals, cast, range, account } = await open({ vote: 10, firstVote: 5 });
    for (const at of [today - 2 * day, today]) await cast('1', at);
    expect(await reversals.reverse(range)).toMatchObject({ votes: 1, credits: 15 });
    for (const at of [today, today - 2 * day]) await cast('1', at, 'pier');
    expect(await account('1')).toMatchObject({ credits: 15 + 15 + 10, votes: 3 });
    expect(await isConsistent(url)).toBe(true);
  });

  it('takes back the milestone of a week that is not reached any more, which can be reached again', async () => {
    const milestones = [{ votes: 2, per: 'week', credits: 100 }];
    const { url, reversals, cast, range, account } = await open({ vote: 10, milestones });
    // The first is of the week before, so that more votes are left than the milestone needs.
    for (const at of [monday - 3 * day, monday - 2 * day, today]) await cast('1', at);
    await cast('1', monday, 'pier');
    expect(await account('1')).toMatchObject({ credits: 240, votes: 4 });
    expect(await reversals.reverse(range)).toMatchObject({ votes: 1, credits: 110 });
    await cast('1', today + day);
    expect(await account('1')).toMatchObject({ credits: 240, votes: 4 });
    expect(await isConsistent(url)).toBe(true);
  });

  it('changes nothing the second time, also with repeats of the deliveries', async () => {
    const { url, reversals, cast, range, account } = await open();
    await cast('1', today - day);
    await cast('1', today);
    await reversals.reverse(range);
    const before = await account('1');
    expect(await reversals.preview(range)).toEqual({ members: 0, votes: 0, credits: 0 });
    expect(await reversals.reverse(range)).toEqual({ members: 0, votes: 0, credits: 0, spent: 0 });
    expect((await cast('1', today)).outcome).toBe('duplicate');
    expect(await account('1')).toEqual(before);
    const both = await Promise.all([reversals.reverse(range), reversals.reverse(range)]);
    expect(both.map(({ votes }) => votes)).toEqual([0, 0]);
    expect(await isConsistent(url)).toBe(true);
  });

  it('takes no balance below zero', async () => {
    const { url, store, reversals, cast, range, account } = await open();
    await cast('1', today);
    await store.recorder.correct(
      { userId: '1', communityId: firstCommunity, credits: -7, reason: 'shop', at: today },
      'key',
    );
    expect(await reversals.reverse(range)).toEqual({ members: 1, votes: 1, credits: 3, spent: 7 });
    expect(await account('1')).toMatchObject({ credits: 0, votes: 0 });
    expect(await isConsistent(url)).toBe(true);
  });

  it('ends the roles that the votes have given, or shortens them', async () => {
    const { store, reversals, cast, range } = await open();
    await cast('1', today - 2 * hour, 'pier');
    await cast('1', today);
    for (const at of [today - 26 * hour, today - 13 * hour, today]) await cast('2', at);
    const grants = async (userId: string) =>
      (await store.records.grants(userId)).map(({ role, until, guildId: guild }) => [role, until, guild]);
    expect(await grants('1')).toEqual([[voter, today + 12 * hour, guildId]]);
    expect(await grants('2')).toContainEqual([anchor, null, guildId]);
    await reversals.reverse(range);
    expect(await grants('2')).toContainEqual([anchor, today, guildId]);
    expect(await grants('1')).toEqual([[voter, today + 10 * hour, guildId]]);
    await reversals.reverse({ ...range, listing: 'pier' });
    expect(await grants('1')).toEqual([[voter, today, guildId]]);
  });

  it('goes on where it was interrupted', async () => {
    const { reversals, cast, range, account } = await open();
    await Promise.all(Array.from({ length: 45 }, (_, index) => cast(String(index + 1), today)));
    const controller = new AbortController();
    const interrupted = reversals.reverse(range, controller.signal);
    setImmediate(() => controller.abort());
    await expect(interrupted).rejects.toThrow('aborted');
    const rest = await reversals.reverse(range);
    expect(rest.votes).toBeGreaterThan(0);
    expect(await account('45')).toMatchObject({ credits: 0, votes: 0 });
    expect(await reversals.preview(range)).toMatchObject({ votes: 0 });
  });
});
