import { hour, minute } from '@tallyhook/platform/durations';
import { manualClock, storeClock } from '@tallyhook/platform/testing/manual-clock';
import { readRows, type StoredRow } from '@tallyhook/platform/testing/read-rows';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ListingRewards } from '../../src/core/rewards/rules.ts';
import type { ListingContext } from '../../src/core/tally/listing-context.ts';
import { partyRules } from '../../src/features/party/rules.ts';
import { openStore } from '../../src/features/store.ts';
import type { Vote } from '../../src/webhook/event.ts';
import { describeOnEveryDatabase } from '../support/databases.ts';
import { serverAndBot } from '../support/listings.ts';
import { newSqliteUrl } from '../support/new-sqlite.ts';

const start = Date.UTC(2026, 0, 1);
const [plain, other] = serverAndBot();
if (plain === undefined || other === undefined) throw new Error('no listings');
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
      fc.integer({ min: 0, max: 48 }).map((hours) => start + hours * hour),
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
  const store = await openStore(url, storeClock(manualClock(start)));
  for (let from = 0; from < cast.length; from += atOnce) {
    const batch = cast.slice(from, from + atOnce).map(({ listing: index, ...vote }, place) => {
      const listing = listings[index] as ListingContext;
      const event: Vote = { ...vote, family: 'vote', kind: 'server_vote', target: { kind: 'server', id: null } };
      const delivery = { receivedAt: start + (from + place) * minute, family: 'vote', body: '{}' } as const;
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
