import { systemClock } from '@tallyhook/platform/clock';
import { day, hour, minute } from '@tallyhook/platform/durations';
import { manualClock, storeClock } from '@tallyhook/platform/testing/manual-clock';
import { readRows, type StoredRow } from '@tallyhook/platform/testing/read-rows';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { createPseudonym } from '../../src/core/ledger/account.ts';
import { createReplay } from '../../src/core/receiving/replay.ts';
import type { ListingRewards } from '../../src/core/rewards/rules.ts';
import { openSnapshot } from '../../src/core/store/snapshots/snapshot.ts';
import type { ListingContext } from '../../src/core/tally/listing-context.ts';
import type { RecordedDelivery } from '../../src/core/tally/tally.ts';
import { forgetMember } from '../../src/features/member-data/store.ts';
import { partyRules } from '../../src/features/party/rules.ts';
import { openStore, type Store } from '../../src/features/store.ts';
import type { Event, Premium, Vote } from '../../src/webhook/event.ts';
import { firstCommunity } from '../support/communities.ts';
import { describeOnEveryDatabase } from '../support/databases.ts';
import { serverAndBot } from '../support/listings.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';
import { premiumFor, voteFor } from '../support/record-vote.ts';
import { isConsistent, openLedger } from '../support/voting.ts';

const [listing] = serverAndBot();
const start = Date.now() - 48 * hour;
const rounds = 12;

/* Two processes record at the same moment what must not be paid twice. */
describeOnEveryDatabase('two processes', (newUrl) => {
  async function openTwo() {
    const url = newUrl();
    const [one, other] = [await openStore(url, systemClock), await openStore(url, systemClock)];
    onTestFinished(() => Promise.all([one.close(), other.close()]).then(() => {}));
    return { url, one, other };
  }

  const vote = (userId: string, at: number | null) => voteFor(listing, userId, at);
  const purchase = (userId: string, orderIds: readonly string[]) =>
    premiumFor(userId, { orderIds, at: start, creditsAwarded: 100 });

  function record(store: Store, event: Vote | Premium, receivedAt = start): Promise<RecordedDelivery> {
    const delivery = { receivedAt, family: event.family, body: JSON.stringify(event) };
    return store.recorder.record(delivery, { type: 'event', event, listing });
  }

  const paidIn = (results: readonly RecordedDelivery[]) => results.filter(({ credits }) => credits > 0).length;

  it.each([
    ['at the same time', [0, 0]],
    ['a second apart', [0, 1_000]],
    ['in the wrong order, almost a cooldown apart', [11 * hour + 50 * minute, 0]],
    ['without a timestamp', [null, null]],
    ['with and without a timestamp', [0, null]],
  ] as const)('pay for one of two votes of a member %s', async (_, offsets) => {
    const { url, one, other } = await openTwo();
    for (let round = 0; round < rounds; round += 1) {
      const votes = offsets.map((offset) => vote(`1${round}`, offset === null ? null : start + offset));
      const results = await Promise.all([one, other].map((store, index) => record(store, votes[index] as Vote)));
      expect(paidIn(results)).toBe(1);
    }
    expect(await one.records.counts()).toMatchObject({ credits: rounds * 10, votes: rounds });
    expect(await isConsistent(url)).toBe(true);
  });

  it('pay for a late vote beside an older one only if it is outside the cooldown', async () => {
    const { url, one, other } = await openTwo();
    for (let round = 0; round < rounds / 4; round += 1) {
      const userId = `2${round}`;
      await record(one, vote(userId, start + 20 * hour));
      await record(other, vote(userId, start - 20 * hour));
      const late = [start + hour, start + 2 * hour];
      const results = await Promise.all(
        [one, other].map((store, index) => record(store, vote(userId, late[index] as number))),
      );
      expect(paidIn(results)).toBe(1);
    }
    expect(await isConsistent(url)).toBe(true);
  });

  it('pay for a purchase once that each has under another name of its order', async () => {
    const { url, one, other } = await openTwo();
    for (let round = 0; round < rounds; round += 1) {
      const [a, b, c] = ['a', 'b', 'c'].map((name) => `${name}${round}`) as [string, string, string];
      await record(one, purchase('3', [a, b]));
      const results = await Promise.all([
        record(one, purchase('3', [b, c])),
        record(other, purchase('3', [a])),
        record(other, purchase('3', [c, a])),
      ]);
      expect(paidIn(results)).toBe(0);
      const fresh = `d${round}`;
      const pair = await Promise.all([
        record(one, purchase('3', [fresh])),
        record(other, purchase('3', [fresh, `e${round}`])),
      ]);
      expect(paidIn(pair)).toBe(1);
    }
    expect(await one.ledgerIn(firstCommunity).account('3')).toMatchObject({ credits: rounds * 200 });
    expect(await isConsistent(url)).toBe(true);
  });

  it('record large batches of the same members in opposite orders, premium among them', async () => {
    const { url, one, other } = await openTwo();
    const userIds = Array.from({ length: 60 }, (_, index) => String(400 + index));
    const recordAll = (store: Store, ids: readonly string[], at: number) =>
      Promise.all(
        ids.flatMap((userId, index) => [
          record(store, vote(userId, at)),
          ...(index % 10 === 0 ? [record(store, purchase(userId, [`order ${userId}`]))] : []),
        ]),
      );
    for (let day = 0; day < 2; day += 1) {
      const at = start + day * 13 * hour;
      await Promise.all([recordAll(one, userIds, at), recordAll(other, userIds.toReversed(), at)]);
    }
    expect(await one.records.counts()).toMatchObject({ credits: 60 * 2 * 10 + 12 * 100, votes: 120 });
    expect(await isConsistent(url)).toBe(true);
  });
});

const firstDay = Date.UTC(2026, 0, 1);
const [plain, other] = serverAndBot();
const community = { ...plain.community, guildId: '900000000000000001', listings: ['server', 'bot', 'rich'] };
const rules: Partial<ListingRewards> = {
  multipliers: [{ factor: 2, days: [4, 5], from: null, until: null, role: null }],
  streak: { every: 2, credits: 5, forgive: 1 },
  milestones: [{ votes: 2, repeats: 'every', credits: 3, role: '800000000000000001' }],
  voterRole: { role: '800000000000000002', forMs: 24 * hour },
  allListings: 20,
  ...partyRules.as({ goal: 3, per: 'day', credits: 25 }),
};
const listings: readonly ListingContext[] = [
  { ...plain, community },
  { ...other, community, announceChannelId: null },
  { ...plain, name: 'rich', community, rewards: { ...plain.rewards, ...rules } },
];

/** A vote of one of few members in two days, with or without a timestamp, paid or denied. */
const votes = fc.array(
  fc.record({
    listing: fc.constantFrom(0, 1, 2),
    userId: fc.constantFrom('1', '2', '3', '4', '5'),
    at: fc.option(
      fc.integer({ min: 0, max: 48 }).map((hours) => firstDay + hours * hour),
      { nil: null },
    ),
    creditsAwarded: fc.constantFrom(null, true, false, 7),
    denial: fc.constantFrom(null, null, 'cooldown'),
  }),
  { minLength: 40, maxLength: 80 },
);
type Cast = typeof votes extends fc.Arbitrary<readonly (infer Item)[]> ? Item : never;

const tables = ['deliveries', 'event_keys', 'entries', 'balances', 'effects', 'planned_effects', 'grants', 'parties'];

/** The rows of all tables after these votes, so many of them at a time. */
async function record(url: string, cast: readonly Cast[], atOnce: number): Promise<Record<string, string[]>> {
  const store = await openStore(url, storeClock(manualClock(firstDay)));
  for (let from = 0; from < cast.length; from += atOnce) {
    const batch = cast.slice(from, from + atOnce).map(({ listing: index, ...vote }, place) => {
      const listing = listings[index] as ListingContext;
      const event: Vote = { ...vote, family: 'vote', kind: 'server_vote', target: { kind: 'server', id: null } };
      const delivery = { receivedAt: firstDay + (from + place) * minute, family: 'vote', body: '{}' } as const;
      return store.recorder.record(delivery, { type: 'event', event, listing });
    });
    await Promise.all(batch);
  }
  await store.close();
  const rows = new Map<string, readonly StoredRow[]>();
  for (const table of tables) rows.set(table, await readRows(url, table));
  // PostgreSQL creates a party to lock it, also for a vote that does not count.
  const counted = (rows.get('parties') ?? []).filter(({ votes: count }) => count !== '0');
  rows.set('parties', counted);
  return withoutGaps(rows);
}

/** The columns with ids of deliveries and of entries, by table. */
const idColumns: Readonly<Record<string, Readonly<Record<string, 'deliveries' | 'entries'>>>> = {
  deliveries: { id: 'deliveries', original_id: 'deliveries' },
  event_keys: { delivery_id: 'deliveries' },
  entries: { id: 'entries', previous: 'entries', delivery_id: 'deliveries' },
  balances: { last_entry: 'entries' },
  effects: { delivery_id: 'deliveries' },
  planned_effects: { delivery_id: 'deliveries' },
};

/** The rows as texts, with the places of ids instead of the ids: PostgreSQL leaves gaps between them. */
function withoutGaps(rows: ReadonlyMap<string, readonly StoredRow[]>): Record<string, string[]> {
  const idsOf = (table: string) => (rows.get(table) ?? []).map(({ id }) => Number(id)).sort((one, two) => one - two);
  const ids = { deliveries: idsOf('deliveries'), entries: idsOf('entries') };
  const texts = [...rows].map(([table, ofTable]) => {
    const columns = idColumns[table] ?? {};
    const replace = ([name, value]: [string, string | null]) => {
      const owner = columns[name];
      // Effects are only compared by what they contain.
      if (owner === undefined) return [name, name === 'id' ? null : value];
      return [name, value === null ? null : ids[owner].indexOf(Number(value))];
    };
    return [table, ofTable.map((row) => JSON.stringify(Object.entries(row).map(replace))).sort()] as const;
  });
  return Object.fromEntries(texts);
}

describeOnEveryDatabase('votes', (newUrl) => {
  it('have the same rows together as one after the other on SQLite, in any mix and order', async () => {
    await fc.assert(
      fc.asyncProperty(votes, fc.integer({ min: 1, max: 12 }), async (cast, atOnce) => {
        const expected = await record(newSqliteUrl(), cast, 1);
        expect(await record(newUrl(), cast, atOnce)).toEqual(expected);
      }),
      { numRuns: 4, endOnFailure: true },
    );
  });
});

const repeated = serverAndBot()[0] as ListingContext;
const member = '200000000000000001';

const vote = (at: number | null) => voteFor(repeated, member, at);
const purchase = premiumFor(member, { isRecipient: false, orderIds: ['order-1'], at: firstDay });

describeOnEveryDatabase('the body of a repeated delivery', (newUrl) => {
  async function open() {
    const url = newUrl();
    const clock = manualClock(firstDay);
    const store = await openLedger(url, storeClock(clock));
    const record = (event: Event, body: string, receivedAt = firstDay) =>
      store.recorder.record({ receivedAt, family: event.family, body }, { type: 'event', event, listing: repeated });
    /** As they are stored. */
    async function bodies() {
      const snapshot = await openSnapshot(url);
      const rows = snapshot.db.selectFrom('deliveries').select(['id', 'outcome', 'body', 'original_id']);
      const stored = await snapshot.run(rows.orderBy('id'));
      await snapshot.close();
      return stored;
    }
    return { url, store, record, bodies };
  }

  it.each([
    ['a vote', vote(firstDay - hour)],
    ['a vote without a timestamp', vote(null)],
    ['a purchase', purchase],
  ])('is that of the first one: %s', async (_what, event) => {
    const { store, record, bodies } = await open();
    const first = `{"first":"${'x'.repeat(1_000)}"}`;
    // Together in one batch, and later.
    const together = await Promise.all([record(event, first), record(event, '{"repeat":1}')]);
    const later = await record(event, '{"repeat":2}', firstDay + hour);
    expect(together.map(({ outcome }) => outcome)).toEqual(['recorded', 'duplicate']);
    const [original, ...repeats] = [...together, later].map(({ deliveryId }) => deliveryId);
    expect(await bodies()).toEqual([
      { id: original, outcome: 'recorded', body: first, original_id: null },
      ...repeats.map((id) => ({ id, outcome: 'duplicate', body: '', original_id: original })),
    ]);
    for (const id of repeats)
      expect(await store.records.delivery(id)).toMatchObject({ body: first, originalId: original });
    const duplicates = await store.records.deliveries({ outcome: 'duplicate', limit: 9, before: null });
    expect(duplicates.map(({ id, body }) => [id, body])).toEqual(repeats.toReversed().map((id) => [id, first]));
    const replay = createReplay({ listings: serverAndBot, recorder: store.recorder, clock: manualClock(firstDay) });
    const duplicate = await store.records.delivery(later.deliveryId);
    expect(duplicate && (await replay(duplicate))).toMatchObject({ outcome: 'duplicate', credits: 0 });
  });

  it('is its own for a different vote within the cooldown', async () => {
    const { record, bodies } = await open();
    await record(vote(firstDay), '{"vote":1}');
    await record(vote(firstDay + hour), '{"vote":2}', firstDay + hour);
    expect(await bodies()).toMatchObject([
      { outcome: 'recorded', body: '{"vote":1}' },
      { outcome: 'recorded', body: '{"vote":2}' },
    ]);
  });

  it('is pruned and forgotten with the first one', async () => {
    const { store, record, bodies } = await open();
    const { deliveryId } = await record(vote(firstDay), `{"user":"${member}"}`);
    const repeat = await record(vote(firstDay), `{"user":"${member}","again":true}`, firstDay + day);
    await forgetMember(store.memberData, member, {
      pseudonym: createPseudonym(),
      now: firstDay + 2 * day,
      keepVotesMs: day,
    });
    expect(JSON.stringify(await bodies())).not.toContain(member);
    // Forgotten with its member, so that its body is not the only trace.
    const again = await record(vote(firstDay), `{"user":"${member}"}`, firstDay + 2 * day);
    expect(again).toMatchObject({ outcome: 'duplicate' });
    expect((await bodies()).at(-1)).toMatchObject({ body: '', original_id: deliveryId });
    expect(await store.records.delivery(again.deliveryId)).toMatchObject({ body: '{"forgotten":true}' });

    await store.upkeep.pruneBodies(firstDay + 30 * day, 100);
    for (const id of [deliveryId, repeat.deliveryId, again.deliveryId])
      expect(await store.records.delivery(id)).toMatchObject({ body: '' });
  });
});
