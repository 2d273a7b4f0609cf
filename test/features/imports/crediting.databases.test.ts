import { day, hour } from '@tallyhook/platform/durations';
import { expect, it } from 'vitest';
import { createPseudonym, memberOf, partsOf } from '../../../src/core/ledger/account.ts';
import { entryPages, type NumberedEntry } from '../../../src/core/store/snapshots/audit.ts';
import { openSnapshot } from '../../../src/core/store/snapshots/snapshot.ts';
import { balanceKey, type ImportItem, type ImportTarget } from '../../../src/features/imports/items.ts';
import { forgetMember } from '../../../src/features/member-data/store.ts';
import type { Store } from '../../../src/features/store.ts';
import { accountOf, addCommunity, firstCommunity } from '../../support/communities.ts';
import { describeOnEveryDatabase } from '../../support/databases.ts';
import { castVote, installation, isConsistent, monday, openLedger } from '../../support/voting.ts';

const rules = {
  ...{ vote: 10, streak: { every: 3, credits: 50 }, milestones: [{ votes: 6, credits: 100 }], allListings: 20 },
  party: { goal: 2, per: 'week', credits: 25 },
};

const balance = (userId: string, credits: number): ImportItem => ({ userId, key: balanceKey, credits, vote: null });

function vote(userId: string, at: number, credits = 0): ImportItem {
  return { userId, key: `vote harbour ${at}`, credits, vote: { listing: 'harbour', at, isTotal: false } };
}

async function targetOf(
  store: Store,
  url: string,
  name = 'old bot',
  communityId = firstCommunity,
): Promise<ImportTarget> {
  const importId = await store.imports.start({ name, communityId }, monday);
  const { listings } = installation(url, rules);
  const own = listings.map((listing) => ({ ...listing, community: { ...listing.community, id: communityId } }));
  return { importId, communityId, reason: `imported from ${name}`, listings: own };
}

async function apply(store: Store, target: ImportTarget, items: readonly ImportItem[]): Promise<string[]> {
  return (await store.imports.apply(target, items, monday)).map(({ outcome }) => outcome);
}

async function recountAll(store: Store, target: ImportTarget, now: number): Promise<void> {
  for (const id of await store.imports.members(target.importId, null, 100))
    await store.imports.recount(target, id, now);
}

async function entriesOf(url: string) {
  const snapshot = await openSnapshot(url);
  try {
    const entries: NumberedEntry[] = [];
    for await (const page of entryPages(snapshot, { userId: null, since: null })) entries.push(...page);
    return entries;
  } finally {
    await snapshot.close();
  }
}

describeOnEveryDatabase('an import', (newUrl) => {
  it('credits each balance and each vote once, also if it is repeated or comes in other parts', async () => {
    const url = newUrl();
    const store = await openLedger(url);
    const target = await targetOf(store, url);
    const items = [balance('1', 150), balance('2', 20), vote('1', monday - 5 * day, 3), vote('1', monday - 4 * day)];
    const planned = (await store.imports.preview(target, items)).map(({ outcome }) => outcome);
    expect(planned).toEqual(['credited', 'credited', 'credited', 'credited']);
    expect(await store.ledgerIn(firstCommunity).account('1')).toMatchObject({ credits: 0, votes: 0 });
    expect(await apply(store, target, items.slice(0, 3))).toEqual(['credited', 'credited', 'credited']);
    expect(await apply(store, await targetOf(store, url), items)).toEqual([
      ...['imported', 'imported', 'imported', 'credited'],
    ]);
    expect(await store.imports.apply(target, [balance('1', 200), balance('1', 150)], monday)).toEqual([
      { outcome: 'different', credits: 150 },
      { outcome: 'imported' },
    ]);
    const repeated = [balance('3', 5), balance('3', 5), balance('3', 6)];
    expect(await apply(store, await targetOf(store, url, 'other'), repeated)).toEqual([
      ...['credited', 'imported', 'different'],
    ]);
    expect(await store.ledgerIn(firstCommunity).account('1')).toMatchObject({ credits: 153, votes: 2 });
    expect(await store.ledgerIn(firstCommunity).account('2')).toMatchObject({ credits: 20, votes: 0 });
    expect(await store.imports.list()).toMatchObject([
      { name: 'other', credits: 5, votes: 0, entries: 1 },
      { name: 'old bot', credits: 173, votes: 2, entries: 4 },
    ]);
    expect(await isConsistent(url)).toBe(true);
  });

  it('credits everything once if several processes import the same at once', async () => {
    const url = newUrl();
    const stores = await Promise.all([openLedger(url), openLedger(url)]);
    const [store] = stores;
    if (store === undefined) throw new Error('no store');
    const target = await targetOf(store, url);
    const items = Array.from({ length: 40 }, (_, index) => [
      balance(String(index + 1), 10),
      vote(String(index + 1), monday - day),
    ]).flat();
    await Promise.all(stores.flatMap((each) => [apply(each, target, items), apply(each, target, items.toReversed())]));
    const entries = await entriesOf(url);
    expect(entries).toHaveLength(80);
    expect(await isConsistent(url)).toBe(true);
  });

  it('adds votes to streaks in any order, pays nothing for them, and no later vote pays it either', async () => {
    const url = newUrl();
    const store = await openLedger(url);
    const community = installation(url, rules);
    const target = await targetOf(store, url);
    // Newest first, over more days than a history keeps one by one.
    const votes = Array.from({ length: 201 }, (_, index) => vote('1', monday - (index + 1) * day));
    await apply(store, target, votes);
    await recountAll(store, target, monday);
    const standings = store.standingsIn(firstCommunity, 'UTC');
    expect(await store.ledgerIn(firstCommunity).account('1')).toMatchObject({ credits: 0, votes: 201 });
    await castVote(store, community, '1', monday);
    const paid = (await entriesOf(url)).filter(({ credits }) => credits !== 0);
    expect(paid.map(({ cause, credits }) => [cause, credits])).toEqual([['vote', 10]]);
    expect(await standings.standing('1', monday)).toMatchObject({ votes: 202, streak: { days: 202 } });
    expect(await isConsistent(url)).toBe(true);
  });

  it('leaves out a vote that the ledger has already, and a delivery of an imported vote pays nothing', async () => {
    const url = newUrl();
    const store = await openLedger(url);
    const community = installation(url, rules);
    await castVote(store, community, '1', monday);
    const target = await targetOf(store, url);
    const outcomes = await apply(store, target, [
      vote('1', monday - hour),
      vote('1', monday - day),
      vote('1', monday - day - hour),
      vote('1', monday + day),
    ]);
    expect(outcomes).toEqual(['within_cooldown', 'credited', 'within_cooldown', 'credited']);
    await castVote(store, community, '1', monday + day + hour);
    expect(await store.ledgerIn(firstCommunity).account('1')).toMatchObject({ credits: 10, votes: 3 });
    expect(await isConsistent(url)).toBe(true);
  });

  it('is undone for what members still have, and can be imported again', async () => {
    const url = newUrl();
    const store = await openLedger(url);
    const community = installation(url, rules);
    const target = await targetOf(store, url);
    await castVote(store, community, '1', monday - 10 * day);
    const items = [balance('1', 100), balance('2', 50), ...[4, 3, 2, 1].map((age) => vote('1', monday - age * day, 1))];
    await apply(store, target, items);
    await recountAll(store, target, monday);
    // Reaches the milestone, and spends a part.
    await castVote(store, community, '1', monday);
    const spent = { userId: '2', communityId: firstCommunity, credits: -30, reason: 'spent', at: monday };
    await store.recorder.correct(spent, 'spent');
    expect(await store.ledgerIn(firstCommunity).account('1')).toMatchObject({
      credits: 10 + 100 + 4 + 10 + 100,
      votes: 6,
    });

    expect(await store.imports.undoMember(target, accountOf('1'), monday)).toEqual({
      credits: 104,
      spent: 0,
      votes: 4,
    });
    expect(await store.imports.undoMember(target, accountOf('1'), monday)).toBe(null);
    expect(await store.imports.undoMember(target, accountOf('2'), monday)).toEqual({
      credits: 20,
      spent: 30,
      votes: 0,
    });
    expect(await store.ledgerIn(firstCommunity).account('1')).toMatchObject({ credits: 120, votes: 2 });
    expect(await store.ledgerIn(firstCommunity).account('2')).toMatchObject({ credits: 0 });
    expect(await store.imports.list()).toMatchObject([{ spent: 30 }]);
    expect(await isConsistent(url)).toBe(true);

    await store.imports.setState(target.importId, 'undone', monday);
    const again = await targetOf(store, url);
    expect(again.importId).not.toBe(target.importId);
    expect(await apply(store, again, items.slice(0, 3))).toEqual(['credited', 'credited', 'credited']);
    // The milestone is reached again.
    for (const age of [1, 2, 3]) await castVote(store, community, '1', monday + age * day);
    expect((await entriesOf(url)).filter(({ cause }) => cause === 'milestone')).toHaveLength(2);
    expect(await isConsistent(url)).toBe(true);
  });

  it('is undone without what was reversed since', async () => {
    const url = newUrl();
    const store = await openLedger(url);
    const community = installation(url, rules);
    const target = await targetOf(store, url);
    await apply(store, target, [vote('1', monday - 4 * day, 50), vote('1', monday - 2 * day, 7)]);
    await castVote(store, community, '1', monday);
    expect(await store.ledgerIn(firstCommunity).account('1')).toMatchObject({ credits: 67, votes: 3 });
    const range = { listing: 'harbour', from: monday - 5 * day, until: monday - 3 * day };
    const member = { accountId: accountOf('1'), listings: community.listings };
    await store.corrections.reverseMember(range, member, monday);
    expect(await store.ledgerIn(firstCommunity).account('1')).toMatchObject({ credits: 17, votes: 2 });
    expect(await store.imports.undoMember(target, accountOf('1'), monday)).toEqual({ credits: 7, spent: 0, votes: 1 });
    expect(await store.ledgerIn(firstCommunity).account('1')).toMatchObject({ credits: 10, votes: 1 });
    expect(await isConsistent(url)).toBe(true);
  });

  it('is undone while no listing is configured, without paying a streak or a bonus again afterwards', async () => {
    const url = newUrl();
    const store = await openLedger(url);
    const community = installation(url, rules);
    for (const age of [3, 2, 1]) await castVote(store, community, '1', monday - age * day);
    const target = await targetOf(store, url);
    await apply(store, target, [vote('1', monday - 20 * day)]);
    await store.imports.undoMember({ ...target, listings: [] }, accountOf('1'), monday);
    for (const age of [0, 1, 2]) await castVote(store, community, '1', monday + age * day);
    const streaks = (await entriesOf(url)).filter(({ cause }) => cause === 'streak');
    expect(streaks.map(({ reason }) => reason)).toEqual(['3 days on 2026-01-04', '6 days on 2026-01-07']);
    expect(await isConsistent(url)).toBe(true);
  });

  it('belongs to one community, and is forgotten with a member', async () => {
    const url = newUrl();
    const store = await openLedger(url);
    const other = await addCommunity(store, '700000000000000009');
    const target = await targetOf(store, url);
    const elsewhere = await targetOf(store, url, 'old bot', other);
    expect(elsewhere.importId).not.toBe(target.importId);
    await apply(store, target, [balance('1', 5), vote('1', monday - day)]);
    await apply(store, elsewhere, [balance('1', 7)]);
    expect(await store.ledgerIn(firstCommunity).account('1')).toMatchObject({ credits: 5, votes: 1 });
    expect(await store.ledgerIn(other).account('1')).toMatchObject({ credits: 7, votes: 0 });
    await forgetMember(store.memberData, '1', { pseudonym: createPseudonym(), now: monday, keepVotesMs: hour });
    const members = [
      ...(await store.imports.members(target.importId, null, 9)),
      ...(await store.imports.members(elsewhere.importId, null, 9)),
    ];
    expect(members).toHaveLength(2);
    expect(members.filter((id) => memberOf(id) === '1')).toEqual([]);
    for (const id of members)
      await store.imports.undoMember(partsOf(id).communityId === other ? elsewhere : target, id, monday);
    expect(await isConsistent(url)).toBe(true);
  });
});
