import { expect, onTestFinished, test } from 'vitest';
import {
  closeReports,
  countOpenReports,
  fileReport,
  openReportsOf,
  reportedTargets,
  reportsOfReporter,
} from '../src/abuse/reports.ts';
import { type Database, openDatabase } from '../src/storage/database.ts';
import { mira, running, serverId, tobias } from '../testing/running.ts';

const report = { listingId: serverId, reason: 'spam', text: 'Look at this.', now: 5 } as const;

async function seeded(): Promise<{ database: Database; reviewId: number; authorId: string }> {
  const { database: address } = await running();
  const database = await openDatabase(address);
  onTestFinished(() => database.destroy());
  const review = await database.selectFrom('reviews').select(['id', 'user_id']).limit(1).executeTakeFirstOrThrow();
  return { database, reviewId: review.id, authorId: review.user_id };
}

test('a member has one open report of a review, however often and at whatever time it is sent', async () => {
  const { database, reviewId, authorId } = await seeded();
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, () =>
      fileReport(database, { ...report, kind: 'review', reviewId, reporterId: mira.userId }),
    ),
  );
  expect(outcomes.toSorted()).toEqual(['filed', ...Array(7).fill('open-already')]);
  expect(await fileReport(database, { ...report, kind: 'review', reviewId, reporterId: tobias.userId })).toBe('filed');
  expect(await fileReport(database, { ...report, kind: 'listing', reporterId: mira.userId })).toBe('filed');
  expect(await countOpenReports(database)).toBe(3);
  const [first, second] = await reportedTargets(database, { limit: 10, offset: 0 });
  expect(first).toEqual({ kind: 'review', listingId: serverId, reviewUserId: authorId, reports: 2 });
  expect(second).toEqual({ kind: 'listing', listingId: serverId, reviewUserId: '', reports: 1 });
  const [listed] = await openReportsOf(database, { kind: 'listing', listingId: serverId, reviewUserId: '' }, 1);
  expect(listed?.reportedText).toMatch(/^Lantern Harbour\n.*\nhttps:\/\/discord\.com\/invite\//);
});

test('a closed report may be followed by another, and keeps the text that was reported', async () => {
  const { database, reviewId, authorId } = await seeded();
  const target = { kind: 'review', listingId: serverId, reviewUserId: authorId } as const;
  const send = () => fileReport(database, { ...report, kind: 'review', reviewId, reporterId: mira.userId });
  const { comment } = await database
    .selectFrom('reviews')
    .select('comment')
    .where('id', '=', reviewId)
    .executeTakeFirstOrThrow();
  await send();
  await database.updateTable('reviews').set({ comment: 'harmless' }).where('id', '=', reviewId).execute();
  expect(await openReportsOf(database, target, 10)).toMatchObject([{ reportedText: comment, reason: 'spam' }]);
  expect(await closeReports(database, target, 'dismissed', 9)).toBe(1);
  expect(await closeReports(database, target, 'dismissed', 9)).toBe(0);
  expect(await send()).toBe('filed');
  const states = (await reportsOfReporter(database, mira.userId, 10)).map(({ state }) => state);
  expect(states.toSorted()).toEqual(['dismissed', 'open']);
});

test('a report of a review of another listing, or of an unknown listing, is not stored', async () => {
  const { database, reviewId } = await seeded();
  const by = { ...report, reporterId: mira.userId };
  expect(await fileReport(database, { ...by, kind: 'review', listingId: '1', reviewId })).toBe('not-found');
  expect(await fileReport(database, { ...by, kind: 'review' })).toBe('not-found');
  expect(await fileReport(database, { ...by, kind: 'listing', listingId: '1' })).toBe('not-found');
  expect(await countOpenReports(database)).toBe(0);
});
