import { eventually } from '@tallyhook/platform/testing/eventually';
import { html } from '@tallyhook/platform/web/html';
import { expect, onTestFinished, test } from 'vitest';
import type { VoteChallenge } from '../src/abuse/vote-challenge.ts';
import { defaultServerFacts } from '../src/actions/create-listing.ts';
import { type Database, openDatabase } from '../src/storage/database.ts';
import { deleteListingRows, startListingDeletion } from '../src/storage/listings/delete-listing.ts';
import { findListing, insertListing } from '../src/storage/listings/listings.ts';
import { createLookups } from '../src/storage/lookups.ts';
import { upsertReview } from '../src/storage/reviews.ts';
import { describeOnBothDatabases } from '../testing/databases.ts';
import { botId, mira, running, serverId } from '../testing/running.ts';
import { visit } from '../testing/visit.ts';

describeOnBothDatabases('a listing that is deleted while somebody votes for it', (newUrl) => {
  /** The service, whose listings are deleted by `remove` between the start of a vote and its storage. */
  async function deletedDuringVotes(remove: (database: Database, listingId: string) => Promise<unknown>) {
    const address = newUrl();
    const database = await openDatabase(address);
    onTestFinished(() => database.destroy());
    const challenge: VoteChallenge = {
      name: 'deletion',
      render: async () => html``,
      async verify(_fields, { listing }) {
        await remove(database, listing.id);
        return true;
      },
    };
    const all = await running({ database: address, challenge });
    return { ...all, database, member: await visit(all, mira.userId) };
  }

  const start = (database: Database, id: string) => startListingDeletion(database, id, Date.now());
  const finish = async (database: Database, id: string) => {
    await start(database, id);
    // The service deletes the rows, too, and only one of both at a time.
    await eventually(async () => {
      await deleteListingRows(database);
      expect(await findListing(database, id)).toBeNull();
    });
  };

  test.each([
    ['is being deleted', start],
    ['is deleted', finish],
  ])('the vote is 404 when the listing %s, as is every request after it', async (_, remove) => {
    const { service, keys, get, database, member, lines } = await deletedDuringVotes(remove);
    for (const path of [`/servers/${serverId}`, `/bots/${botId}`]) {
      expect((await member.open(path)).status).toBe(200);
      expect((await member.send(`${path}/vote`, {})).status).toBe(404);
      expect((await member.send(`${path}/vote`, {})).status).toBe(404);
      expect((await member.open(path)).status).toBe(404);
    }
    for (const key of Object.values(keys))
      expect((await get(`/votes/${mira.userId}`, { 'X-API-Key': key })).status).toBe(401);
    for (const listingId of [serverId, botId])
      await expect(service.castVote({ listingId, ...mira })).rejects.toMatchObject({ code: 'unknown_listing' });
    const votes = database.selectFrom('votes').select('id').where('user_id', '=', mira.userId);
    expect(await votes.where('listing_id', 'in', [serverId, botId]).execute()).toEqual([]);
    expect(lines.filter((line) => line.includes('page failed'))).toEqual([]);
  });

  test('a review of a deleted listing is rejected as one of an unknown listing', async () => {
    const { database } = await deletedDuringVotes(start);
    await finish(database, serverId);
    const review = { listingId: serverId, ...mira, rating: 5, comment: '', createdAt: 1 };
    await expect(upsertReview(database, review)).rejects.toMatchObject({ code: 'unknown_listing' });
  });

  test('a server that is listed again has its new reviews, not those of its former listing', async () => {
    const { database } = await deletedDuringVotes(start);
    const lookups = createLookups(database);
    const id = '900000000000000001';
    const reviewed = async (createdAt: number, comment: string) => {
      const texts = { name: 'Listed again', description: '', tags: [] };
      const listing = { id, ...texts, kind: 'server', ownerId: '1', createdAt, facts: defaultServerFacts } as const;
      expect(await insertListing(database, listing)).toBe(true);
      await upsertReview(database, { listingId: id, ...mira, rating: 5, comment, createdAt });
      return lookups.reviews(listing, 'newest', 10);
    };
    expect(await reviewed(1, 'The first.')).toMatchObject({ total: 1, reviews: [{ comment: 'The first.' }] });
    await finish(database, id);
    expect(await reviewed(2, 'Another.')).toMatchObject({ total: 1, reviews: [{ comment: 'Another.' }] });
  });
});
