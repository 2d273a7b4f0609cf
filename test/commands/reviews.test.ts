import { describe, expect, it } from 'vitest';
import { reviews, stars } from '../../commands/reviews.ts';
import type { CachedReviews } from '../../src/lookup/schemas.ts';
import { day, hour } from '../../src/platform/durations.ts';
import { textsIn } from '../../src/texts/texts.ts';
import { bot, contextFor, fakeLookup, inputOf, reviewOf, start } from './command-fixture.ts';

function fixture(cachedReviews: CachedReviews, staleSince?: number) {
  const queries: { sort: string; limit: number }[] = [];
  const lookup = fakeLookup('server', {
    reviews: (query) => {
      queries.push(query);
      return { ...cachedReviews, reviews: cachedReviews.reviews.slice(0, query.limit) };
    },
    ...(staleSince === undefined ? {} : { staleSince }),
  });
  return { context: contextFor({ name: 'server', lookup }), queries };
}

const twelve: CachedReviews = {
  reviews: Array.from({ length: 12 }, (_, place) => reviewOf({ username: `writer${place + 1}` })),
  total: 345,
};

describe('/reviews', () => {
  it('is visible to everyone', () => expect(reviews.visibility).toBe('public'));

  it('shows stars, author, text and date', async () => {
    const { context } = fixture({
      reviews: [reviewOf({ rating: 4, comment: 'Good boats.', createdAt: start - day })],
      total: 1,
    });
    const reply = await reviews.execute(inputOf(), context);
    expect(reply.fields).toEqual([{ name: '★★★★☆ · mira', value: `Good boats.\n<t:${(start - day) / 1_000}:D>` }]);
    expect(reply.footer).toBe('1 of 1 review');
  });

  it('shows "12 of 345" on pages of five', async () => {
    const { context } = fixture(twelve);
    const first = await reviews.execute(inputOf({ limit: 12 }), context);
    expect(first.footer).toBe('12 of 345 reviews · page 1 of 3');
    expect(first.fields?.map(({ name }) => name)).toEqual([1, 2, 3, 4, 5].map((n) => `★★★★★ · writer${n}`));
    expect(first.buttons).toEqual([
      { kind: 'page', label: 'Previous', disabled: true, options: { sort: 'newest', limit: 12, page: 0 } },
      { kind: 'page', label: 'Next', disabled: false, options: { sort: 'newest', limit: 12, page: 2 } },
    ]);
    const last = await reviews.execute(inputOf({ sort: 'newest', limit: '12', page: '3' }), context);
    expect(last.fields?.map(({ name }) => name)).toEqual(['★★★★★ · writer11', '★★★★★ · writer12']);
    expect(last.buttons).toMatchObject([{ disabled: false }, { disabled: true }]);
  });

  it('groups the digits of a large total', async () => {
    const { context } = fixture({ ...twelve, total: 12_345 });
    expect((await reviews.execute(inputOf(), context)).footer).toContain('10 of 12,345 reviews');
  });

  it('requests the ten newest, or the options of the member', async () => {
    const { context, queries } = fixture(twelve);
    await reviews.execute(inputOf(), context);
    await reviews.execute(inputOf({ sort: 'lowest', limit: 50 }), context);
    expect(queries).toEqual([
      { sort: 'newest', limit: 10 },
      { sort: 'lowest', limit: 50 },
    ]);
  });

  it.each([
    [
      { sort: 'worst', limit: '1e9', page: '-7' },
      { sort: 'newest', limit: 50 },
    ],
    [
      { sort: '', limit: '2.5', page: 'NaN' },
      { sort: 'newest', limit: 10 },
    ],
    [
      { limit: '-1', page: '99' },
      { sort: 'newest', limit: 1 },
    ],
    [{ limit: '' }, { sort: 'newest', limit: 1 }],
  ])('replaces the forged options %j with valid ones', async (options, query) => {
    const { context, queries } = fixture(twelve);
    const reply = await reviews.execute(inputOf(options), context);
    expect(queries).toEqual([query]);
    expect(reply.fields?.length).toBeGreaterThan(0);
  });

  it('invites the member when there is no review yet', async () => {
    const reply = await reviews.execute(inputOf(), fixture({ reviews: [], total: 0 }).context);
    expect(reply.text).toBe('Nobody has written a review yet. Be the first!');
    expect(reply.buttons).toBeUndefined();
  });

  it('has placeholders for missing fields', async () => {
    const bare = reviewOf({ username: null, rating: null, comment: ' \u200B ', createdAt: null });
    const reply = await reviews.execute(inputOf(), fixture({ reviews: [bare], total: 1 }).context);
    expect(reply.fields).toEqual([{ name: 'No rating · Anonymous', value: '*No text.*' }]);
  });

  it('shows the age of stale reviews', async () => {
    const reply = await reviews.execute(inputOf(), fixture(twelve, start - hour).context);
    expect(reply.text).toContain(`<t:${(start - hour) / 1_000}:R>`);
  });

  it('truncates long reviews to fit a page into an embed', async () => {
    const long = reviewOf({ username: '*'.repeat(500), rating: 3.7, comment: '_@everyone_ '.repeat(2_000) });
    const { context } = fixture({ reviews: Array.from({ length: 5 }, () => long), total: 5 }, start - hour);
    const { title = '', text = '', footer = '', fields = [] } = await reviews.execute(inputOf(), context);
    for (const { name, value } of fields) {
      expect(name.length).toBeLessThanOrEqual(256);
      expect(value.length).toBeLessThanOrEqual(1_024);
    }
    const whole = [title, text, footer, ...fields.flatMap(({ name, value }) => [name, value])].join('');
    expect(whole.length).toBeLessThanOrEqual(6_000);
    expect(fields).toHaveLength(5);
  });

  it('is available only if a server has a key', () => {
    const listed = { name: 'bot', lookup: fakeLookup('bot', { profile: async () => bot }) };
    expect(reviews.isServedBy([listed])).toBe(false);
    expect(reviews.isServedBy(fixture(twelve).context.listings)).toBe(true);
  });
});

describe('stars', () => {
  it.each([
    [5, '★★★★★'],
    [1, '★☆☆☆☆'],
    [0, '☆☆☆☆☆'],
    [4.3, '★★★★☆ 4.3'],
    [4.5, '★★★★★ 4.5'],
    [10, '★ 10'],
    [-3, '★ -3'],
    [1e9, '★ 1,000,000,000'],
  ])('of %d are %s', (rating, text) => expect(stars(rating, textsIn('en-US'))).toBe(text));
});
