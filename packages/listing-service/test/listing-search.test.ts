import { day } from '@tallyhook/platform/durations';
import { expect, it, onTestFinished } from 'vitest';
import { defaultServerFacts } from '../src/actions/create-listing.ts';
import type { Category } from '../src/listing/category.ts';
import type { Listing } from '../src/listing/listing.ts';
import { openDatabase } from '../src/storage/database.ts';
import { updateGrowth } from '../src/storage/listings/listing-days.ts';
import { findListing, insertListing, updateListing, updateListingState } from '../src/storage/listings/listings.ts';
import { type ListingSearch, rankOf, relatedListings, searchListings } from '../src/storage/listings/search.ts';
import { upsertReview } from '../src/storage/reviews.ts';
import { countVotesOfMonth, insertVotes } from '../src/storage/votes.ts';
import { describeOnBothDatabases } from '../testing/databases.ts';

const now = Date.UTC(2026, 10, 26);

describeOnBothDatabases('lists of listings', (newDatabase) => {
  async function opened() {
    const database = await openDatabase(newDatabase());
    onTestFinished(() => database.destroy());

    /** @param votes how many, by how many days ago */
    async function add(
      id: string,
      votes: Readonly<Record<number, number>> = {},
      {
        kind = 'server',
        categories = [],
        stars = [],
      }: { kind?: 'server' | 'bot'; categories?: Category[]; stars?: number[] } = {},
    ): Promise<void> {
      const base = { id, name: `Listing ${id}`, description: '', tags: [], ownerId: '1', createdAt: now - Number(id) };
      const listing: Listing =
        kind === 'bot'
          ? { ...base, kind, facts: { servers: 1, shards: 1 } }
          : { ...base, kind, facts: defaultServerFacts };
      await insertListing(database, listing);
      await updateListing(database, { ...listing, categories }, now);
      for (const [daysAgo, count] of Object.entries(votes)) {
        const votedAt = now - Number(daysAgo) * day;
        const voters = Array.from({ length: count }, (_, voter) => `${voter + 1}`);
        await insertVotes(
          database,
          voters.map((userId) => ({ listingId: id, userId, votedAt, denialReason: null })),
        );
      }
      for (const [index, rating] of stars.entries()) {
        const author = { userId: `${index + 1}`, username: 'mira' };
        await upsertReview(database, { ...author, listingId: id, rating, comment: 'Fine.', createdAt: now });
      }
    }

    const all = { text: '', tag: '', kind: null, category: null, order: 'votes', limit: 50, offset: 0 } as const;
    const search = (changes: Partial<ListingSearch> = {}) => searchListings(database, { ...all, ...changes }, now);
    const ids = async (changes: Partial<ListingSearch> = {}) =>
      (await search(changes)).map(({ listing }) => listing.id);
    return { database, add, search, ids };
  }

  it('are sorted by votes of the month, age, stars and growth', async () => {
    const { database, add, search, ids } = await opened();
    await add('4', { 1: 2, 8: 9 }, { stars: [5] });
    await add('3', { 2: 5, 9: 1 }, { stars: [5, 5, 5, 5, 4] });
    await add('2', { 30: 50 });
    await add('1', { 6: 1 }, { stars: [1, 1] });
    await updateGrowth(database, now);
    expect(await ids()).toEqual(['4', '3', '1', '2']);
    expect(await ids({ order: 'new' })).toEqual(['1', '2', '3', '4']);
    expect(await ids({ order: 'rating' })).toEqual(['3', '4', '1', '2']);
    expect(await ids({ order: 'growing' })).toEqual(['3', '1', '2', '4']);
    const figures = (await search()).map(({ monthlyVotes, growth, rating }) => [monthlyVotes, growth, rating]);
    expect(figures).toEqual([
      [11, -7, 5],
      [6, 4, 4.8],
      [1, 1, 1],
      [0, 0, null],
    ]);
  });

  it('say the place among all listings of a kind, whatever the list is filtered or sorted by', async () => {
    const { database, add, search } = await opened();
    await add('1', { 1: 3 });
    await add('2', { 1: 5 });
    await add('3', { 1: 3 });
    await add('4', { 1: 1 });
    await add('5', { 1: 9 });
    await add('6', { 1: 1 }, { kind: 'bot' });
    await updateListingState(database, '5', 'hidden', null);
    const places = async (changes: Partial<ListingSearch> = {}) =>
      Object.fromEntries((await search(changes)).map(({ listing, rank }) => [listing.id, rank]));
    const expected = { 1: 2, 2: 1, 3: 2, 4: 4, 6: 1 };
    expect(await places()).toEqual(expected);
    expect(await places({ order: 'new', text: 'listing 4' })).toEqual({ 4: 4 });
    for (const [id, rank] of Object.entries(expected)) {
      const listing = await findListing(database, id);
      if (listing === null) throw new Error(id);
      expect(await rankOf(database, listing, await countVotesOfMonth(database, id, now), now)).toBe(rank);
    }
  });

  it('are filtered by category, and related to a listing by the categories that they share', async () => {
    const { database, add, ids } = await opened();
    await add('1', {}, { categories: ['Gaming', 'Music', 'Art'] });
    await add('2', { 1: 9 }, { categories: ['Art'] });
    await add('3', { 1: 1 }, { categories: ['Music', 'Art'] });
    await add('4', { 1: 2 }, { categories: ['Gaming', 'Art'] });
    await add('5', { 1: 7 }, { categories: ['Anime'] });
    await add('6', { 1: 7 }, { kind: 'bot', categories: ['Music', 'Art', 'Gaming'] });
    await add('7', { 1: 7 }, { categories: ['Gaming', 'Music', 'Art'] });
    await updateListingState(database, '7', 'hidden', null);
    expect(await ids({ category: 'Gaming' })).toEqual(['6', '4', '1']);
    expect(await ids({ category: 'Art', kind: 'server' })).toEqual(['2', '4', '3', '1']);
    const related = async (id: string, limit = 10) => {
      const listing = await findListing(database, id);
      const found = listing === null ? [] : await relatedListings(database, listing, { limit, now });
      return found.map((each) => `${each.listing.id}:${each.monthlyVotes}`);
    };
    expect(await related('1')).toEqual(['4:2', '3:1', '2:9']);
    expect(await related('1', 2)).toEqual(['4:2', '3:1']);
    expect(await related('5')).toEqual([]);
    expect(await related('6')).toEqual([]);
  });

  it('follow the growth as it changes', async () => {
    const { database, add, search } = await opened();
    await add('1', { 1: 2 });
    const growthAt = async (at: number) => {
      await updateGrowth(database, at);
      return (await search())[0]?.growth;
    };
    expect(await growthAt(now)).toBe(2);
    expect(await growthAt(now + 6 * day + 1)).toBe(-2);
    expect(await growthAt(now + 14 * day)).toBe(0);
  });
});
