import { existsSync, readFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import type { Dialect } from '../../../../src/core/store/dialect/dialect.ts';
import { migrationNames, migrations } from '../../../../src/core/store/migrations/index.ts';
import { migrate } from '../../../../src/core/store/migrations/migrate.ts';
import { brokenLinks } from '../../../../src/core/store/snapshots/audit.ts';
import { openSnapshot } from '../../../../src/core/store/snapshots/open-snapshot.ts';
import type { Store } from '../../../../src/features/store.ts';
import { systemClock } from '../../../../src/platform/clock.ts';
import { day, hour, minute } from '../../../../src/platform/durations.ts';
import { claimDue } from '../../../support/claim-due.ts';
import { homeAccount } from '../../../support/home-account.ts';
import { manualClock, storeClock } from '../../../support/manual-clock.ts';
import { startReceiver } from '../../../support/start-receiver.ts';
import { dialectAt } from './old-database.ts';

/** The time of the rows in the fixtures. */
const writtenAt = Date.UTC(2026, 0, 1);
const names = migrationNames;

/**
 * The rows that a version writes, as SQL: `001.sql` for the migration 001-…. Null if they are those of an earlier one.
 * @param beside `-added` for rows beside those of earlier versions
 */
function fixtureOf(name: string, beside: '' | '-added' = ''): string | null {
  const path = new URL(`${name.slice(0, 3)}${beside}.sql`, import.meta.url);
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

/** Runs a script in one transaction. Each statement ends at the end of a line; bytes are written as in SQLite. */
async function script({ migrating, blobType }: Dialect, text: string): Promise<void> {
  const dialectText = blobType === 'blob' ? text : text.replaceAll(/X'([0-9a-f]+)'/g, String.raw`'\x$1'::bytea`);
  await migrating.begin();
  for (const sql of dialectText.replaceAll(/^--.*$/gm, '').split(/;\s*(?:\n|$)/)) {
    if (sql.trim() !== '') await migrating.run({ sql, parameters: [] });
  }
  await migrating.commit();
}

/** A database as written by the version whose last migration is `name`. */
export async function createAt(url: string, name: string): Promise<void> {
  const dialect = dialectAt(url);
  onTestFinished(() => dialect.close());
  const all = Object.entries(migrations(dialect)).slice(0, names.indexOf(name) + 1);
  const withFixture = all.findLastIndex(([at]) => fixtureOf(at) !== null);
  const migrateTo = (position: number) =>
    migrate(dialect, systemClock, { all: Object.fromEntries(all.slice(0, position + 1)) });
  await migrateTo(withFixture);
  await script(dialect, fixtureOf(all[withFixture]?.[0] ?? '') ?? '');
  for (const [position, [at]] of all.entries()) {
    const added = fixtureOf(at, '-added');
    if (added === null || position < withFixture) continue;
    await migrateTo(position);
    await script(dialect, added);
  }
  await migrateTo(all.length);
}

/** Upgrades a database that the version with this last migration has written, and expects all data of its rows. */
export async function expectPreserved(url: string, name: string): Promise<void> {
  await createAt(url, name);
  const { store, post } = await startReceiver({ databaseUrl: url, clock: storeClock(manualClock(writtenAt + hour)) });

  expect(await store.ledger.account('101')).toEqual({ userId: '101', credits: 35, votes: 2 });
  expect(await store.records.counts()).toMatchObject({
    deliveries: { recorded: 7, duplicate: 1, test: 1, quarantined: 1 },
    effects: { waiting: 5, done: 2, buried: 1 },
    users: 4,
    credits: 145,
    votes: 4,
  });
  for (const userId of ['101', '102', '103', '106']) {
    const entries = await store.records.entries(homeAccount(userId), 100);
    const sum = entries.reduce((total, { credits }) => total + credits, 0);
    expect(entries.length).toBeGreaterThan(0);
    expect(await store.ledger.account(userId)).toMatchObject({ credits: sum });
  }
  expect(await store.ledger.lastVoteAt('101', 'bot')).toBe(Date.UTC(2025, 11, 31, 10));
  expect(await store.ledger.lastVoteAt('103', 'server')).toBe(Date.UTC(2025, 11, 31, 12));
  const snapshot = await openSnapshot(url);
  onTestFinished(() => snapshot.close());
  expect(await brokenLinks(snapshot)).toBe(0);
  const deliveries = await store.records.deliveries({ outcome: null, limit: 100, before: null });
  expect(deliveries.find(({ outcome }) => outcome === 'quarantined')).toMatchObject({
    receivedAt: writtenAt,
    kind: 'surprise',
    body: `{"event":"surprise","userId":"105","note":"it's new"}`,
  });
  expect(await store.records.effects({ state: 'buried', limit: 9, before: null })).toMatchObject([
    { reason: 'Discord knows no such channel', attempts: 1, deliveryId: 4 },
  ]);

  // Recorded events are still duplicates, and the order is still revoked.
  for (const [index, { outcome, family, body }] of deliveries.toReversed().entries()) {
    if (outcome !== 'recorded') continue;
    const secret = family === 'vote' ? {} : { secret: 'premium-secret-for-tests' };
    expect(await post('/webhooks', JSON.parse(body), secret), String(index)).toMatchObject({
      json: { outcome: 'duplicate' },
    });
  }
  const renewal = {
    event: 'subscription.renewed',
    buyer: { userId: '106' },
    purchaseId: 'purchase-1',
    currentPeriodEnd: '2026-02-01T00:00:00Z',
  };
  expect(await post('/webhooks', renewal, { secret: 'premium-secret-for-tests' })).toMatchObject({
    json: { outcome: 'recorded' },
  });
  expect(await store.ledger.account('106')).toMatchObject({ credits: 100 });

  const due = writtenAt + 2 * hour;
  const claims = [];
  for (let index = 0; index < 5; index += 1) claims.push(...(await claimDue(store.outbox, due, due + minute, 10)));
  expect(claims.find(({ nonce }) => nonce === '5-mjuohs00')).toMatchObject({
    attempts: 2,
    content: { userId: '103' },
  });
  expect(claims.map(({ deliveryId }) => deliveryId)).toEqual(expect.arrayContaining([5, 6, 7, 9, 10]));
  const isPlanned = names.indexOf(name) >= names.indexOf('009-effect-queues');
  expect(await store.outbox.enqueuePlanned(due + day, 9)).toEqual(isPlanned ? ['role 300000000000000001'] : []);
  if (names.indexOf(name) >= names.indexOf('017-member-languages')) await expectRewards(store);
  if (names.indexOf(name) >= names.indexOf('035-correction-authors')) {
    expect(await store.corrections.authored({ accounts: null, before: null, limit: 9 })).toMatchObject([
      { userId: '102', credits: -5, reason: 'A mistake', author: 'operator' },
      { userId: '102', credits: 5, reason: 'Helped', author: '101' },
    ]);
    expect(await store.corrections.find('', 'of-a-program')).toMatchObject({ userId: '103', credits: 1 });
  }
  expect(await store.budgetStore.acquire('abcdef', writtenAt + 1, minute, 1)).toEqual({
    granted: false,
    retryAt: writtenAt + minute,
  });
}

/** What `017.sql` stores of a member. */
async function expectRewards(store: Store): Promise<void> {
  expect((await store.records.grants('101')).map(({ role, state }) => [role, state])).toEqual([
    ['400000000000000001', 'applied'],
    ['400000000000000003', 'parked'],
  ]);
  expect(await store.memberLocales.localeOf('101')).toBe('de');
  expect(await store.shop.purchasesOf('101', '', 9)).toMatchObject([{ name: 'Game key', code: 'CODE-1' }]);
  const none = { role: null, forMs: null, manual: false, stock: null, needsRole: null };
  const items = [{ id: 'key', name: 'Game key', price: 5, codes: ['CODE-1', 'CODE-2'], ...none }];
  const leftIn = async (guildId: string, accounts: string) => {
    const shop = { guildId, accounts, ownerChannelId: null, items };
    return (await store.shop.offers(shop, { userId: '101', roles: [] }, writtenAt)).offers[0]?.left;
  };
  expect(await leftIn('300000000000000001', '')).toBe(1);
  expect(await leftIn('300000000000000009', '300000000000000009')).toBe(2);
  expect(await store.party.find('week 2026-W01', writtenAt)).toMatchObject({ votes: 3, goal: 5 });
}
