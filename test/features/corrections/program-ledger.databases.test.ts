import { expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { prepareCommunities } from '../../../src/features/communities/community-ids.ts';
import { createDirectory } from '../../../src/features/communities/directory.ts';
import { createLedger } from '../../../src/features/corrections/program-ledger.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { environmentWith, harbour } from '../../support/listings-file.ts';
import { castVote, guildId, installation, isConsistent, monday, openLedger } from '../../support/voting.ts';

const ada = '200000000000000001';
const bo = '200000000000000002';
const reason = 'a bet';
const elsewhere = '700000000000000009';
/** A listing of another community. */
const bees = { ...harbour, name: 'bees', id: '3000', lookupKey: 'key-of-the-bees', guildId: elsewhere };

function ledgerTests(newUrl: () => string): void {
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

  const bet = { from: ada, to: bo, credits: 20, reason, key: 'bet 1' };

  it('moves credits from one member to another, both or none, once per key', async () => {
    const { url, ledger, balances } = await withCredits(30);
    const moved = { credits: 20, fromBalance: 10, toBalance: 20 };
    expect(await ledger.transfer(bet)).toEqual({ ...moved, repeated: false });
    await ledger.award({ userId: bo, credits: 1, reason, key: 'more' });
    expect(await ledger.transfer(bet)).toEqual({ ...moved, repeated: true });
    await expect(ledger.transfer({ ...bet, key: 'bet 2' })).rejects.toMatchObject({ code: 'ledger_overdrawn' });
    expect(await balances()).toEqual([10, 21]);
    expect(await ledger.transfer({ ...bet, key: 'bet 2', allowNegative: true })).toMatchObject({ fromBalance: -10 });
    expect(await ledger.entries(ada)).toMatchObject([
      { credits: -20, cause: 'correction', reason, key: 'bet 2' },
      { credits: -20, cause: 'correction', reason, key: 'bet 1' },
      { credits: 30, reason: 'start', key: 'start' },
    ]);
    expect(await ledger.entries(bo, { limit: 1 })).toMatchObject([{ credits: 20, reason, key: 'bet 2' }]);
    expect(await isConsistent(url)).toBe(true);
  });

  it('uses one key for both sides of a transfer', async () => {
    const { ledger, balances } = await withCredits(30);
    await ledger.spend({ userId: ada, credits: 1, reason, key: 'spent' });
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
    await expect(ledger.refund({ key: bet.key, reason })).rejects.toMatchObject({ code: 'ledger_unknown_spend' });
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
    await one.ledger.award({ userId: bo, credits: 100, reason, key: 'bo' });
    const transfers = Array.from({ length: 40 }, (_, index) => {
      const { ledger } = index % 4 < 2 ? one : two;
      const [from, to] = index % 2 === 0 ? [ada, bo] : [bo, ada];
      return ledger.transfer({ from, to, credits: 1, reason, key: `round ${Math.floor(index / 4)} ${from}` });
    });
    // Each key is used by both processes.
    const results = await Promise.all(transfers);
    expect(results.filter(({ repeated }) => repeated).length).toBe(20);
    expect(await one.balances()).toEqual([100, 100]);
    expect(await isConsistent(url)).toBe(true);
  });

  it('reads the account of a member in one community, and null for a member without one', async () => {
    const { ledger, withoutDefault } = await withCredits(30);
    await withoutDefault.award({ userId: ada, credits: 5, reason, key: 'elsewhere', guildId: elsewhere });
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
    const change = { userId: ada, credits: 1, reason, key: 'unnamed' };
    for (const call of [
      () => ledger.award(change),
      () => ledger.spend(change),
      () => ledger.refund({ key: 'start', reason }),
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
    expect(await withoutDefault.award({ userId: ada, credits: 7, reason, key: 'a' })).toMatchObject({ balance: 7 });
    expect(await withoutDefault.account(ada)).toEqual(await ledger.account(ada));
    expect(await withoutDefault.standings('all', 'credits')).toMatchObject({ members: [{ userId: ada, score: 7 }] });
  });

  it('reads the entries of a member in pages, with those of votes', async () => {
    const { ledger, withoutDefault, vote } = await open();
    await vote(ada);
    for (const key of ['a', 'b', 'c']) await ledger.award({ userId: ada, credits: 1, reason: `prize ${key}`, key });
    await ledger.spend({ userId: ada, credits: 2, reason, key: 'd' });
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
    await ledger.award({ userId: bo, credits: 50, reason, key: 'a' });
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
}

describeOnEveryDatabase('the ledger', ledgerTests);
