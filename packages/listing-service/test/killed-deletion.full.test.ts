import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '@tallyhook/platform/testing/eventually';
import { expect, onTestFinished, test } from 'vitest';
import { generate } from '../src/generate/generate.ts';
import { type Database, openDatabase } from '../src/storage/database.ts';
import { deleteListingRows, startListingDeletion } from '../src/storage/listings/delete-listing.ts';
import { describeOnBothDatabases } from '../testing/databases.ts';
import { type OtherProcess, startOtherProcess } from './another-process.ts';
import { signInVoters } from './voters.ts';

const manyVotes = 100_000;
const tables = [
  'votes',
  'reviews',
  'deliveries',
  'purchases',
  'keys',
  'webhooks',
  'vote_counts',
  'review_counts',
] as const;

/** Adds a listing with so many votes. */
async function generateListing(database: Database, votes: number): Promise<string> {
  const ids: string[] = [];
  await generate(database, {
    population: { listings: 1, members: 20_000, votes, reviews: 500 },
    now: Date.now(),
    signal: new AbortController().signal,
    onListing: ({ id }) => void ids.push(id),
    onProgress: () => {},
  });
  return ids[0] ?? '';
}

async function countRows(database: Database, table: (typeof tables)[number], listingId: string): Promise<number> {
  const query = database.selectFrom(table).select(({ fn }) => fn.countAll<number>().as('count'));
  return Number((await query.where('listing_id', '=', listingId).executeTakeFirstOrThrow()).count);
}

describeOnBothDatabases('the deletion of a listing with 100,000 votes', (newDatabase) => {
  test('goes on after kill -9, leaves no row, and holds up no vote for another listing', {
    timeout: 400_000,
  }, async () => {
    const address = newDatabase();
    const database = await openDatabase(address);
    onTestFinished(() => database.destroy());
    const [deleted, kept] = [await generateListing(database, manyVotes), await generateListing(database, 3_000)];
    const votesOf = (id: string) => countRows(database, 'votes', id);
    const before = { votes: await votesOf(kept), reviews: await countRows(database, 'reviews', kept) };
    await startListingDeletion(database, deleted, Date.now());

    let left = await votesOf(deleted);
    expect(left).toBe(manyVotes);
    let counted = 0;
    for (const kill of [1, 2]) {
      const service: OtherProcess = await startOtherProcess(address, { seed: false });
      onTestFinished(() => service.kill());
      const voters = await signInVoters(address, service.url, 5 * kill);
      await eventually(async () => expect(await votesOf(deleted)).toBeLessThan(left));
      const votes = [];
      for (const voter of voters.slice(counted)) {
        votes.push(await voter.vote(`/servers/${kept}`));
        await wait(20);
      }
      expect(votes).not.toContain(false);
      counted += votes.length;
      await service.kill();
      left = await votesOf(deleted);
      expect(left).toBeGreaterThan(0);
    }

    while ((await database.selectFrom('listings').select('id').where('id', '=', deleted).execute()).length > 0)
      await deleteListingRows(database);
    for (const table of tables) expect([table, await countRows(database, table, deleted)]).toEqual([table, 0]);
    const orphans = database
      .selectFrom('attempts')
      .select('id')
      .where('delivery_id', 'not in', database.selectFrom('deliveries').select('id'));
    expect(await orphans.execute()).toEqual([]);
    const after = { votes: await votesOf(kept), reviews: await countRows(database, 'reviews', kept) };
    expect(after).toEqual({ ...before, votes: before.votes + counted });
  });
});
