import { describe, expect, it } from 'vitest';
import { reviews } from '../../commands/reviews.ts';
import { stars } from '../../commands/stars.ts';
import type { CachedReviews } from '../../src/lookup/schemas.ts';
import { day, hour } from '../../src/platform/durations.ts';
import { asked, bot, knowing, reviewOf, services, start } from './known.ts';

function reviewed(found: CachedReviews, staleSince?: number) {
  const queries: { sort: string; limit: number }[] = [];
  const lookup = knowing('server', {
    reviews: (query) => {
      queries.push(query);
      return { ...found, reviews: found.reviews.slice(0, query.limit) };
    },
    ...(staleSince === undefined ? {} : { staleSince }),
  });
  return { asking: services({ name: 'server', lookup }), queries };
}

const twelve: CachedReviews = {
  reviews: Array.from({ length: 12 }, (_, place) => reviewOf({ username: `writer${place + 1}` })),
  total: 345,
};

describe('/reviews', () => {
  it('is seen by everybody', () => expect(reviews.visibility).toBe('public'));

  it('shows stars, author, text and date', async () => {
    const { asking } = reviewed({
      reviews: [reviewOf({ rating: 4, comment: 'Good boats.', createdAt: start - day })],
      total: 1,
    });
    const reply = await reviews.execute(asked(), asking);
    expect(reply.fields).toEqual([{ name: '★★★★☆ · mira', value: `Good boats.\n<t:${(start - day) / 1_000}:D>` }]);
    expect(reply.footer).toBe('1 of 1 review');
  });

  it('says "12 of 345" and turns pages of five', async () => {
    const { asking } = reviewed(twelve);
    const first = await reviews.execute(asked({ limit: 12 }), asking);
    expect(first.footer).toBe('12 of 345 reviews · page 1 of 3');
    expect(first.fields?.map(({ name }) => name)).toEqual([1, 2, 3, 4, 5].map((n) => `★★★★★ · writer${n}`));
    expect(first.buttons).toEqual([
      { kind: 'page', label: 'Previous', disabled: true, options: { sort: 'newest', limit: 12, page: 0 } },
      { kind: 'page', label: 'Next', disabled: false, options: { sort: 'newest', limit: 12, page: 2 } },
    ]);
    const last = await reviews.execute(asked({ sort: 'newest', limit: '12', page: '3' }), asking);
    expect(last.fields?.map(({ name }) => name)).toEqual(['★★★★★ · writer11', '★★★★★ · writer12']);
    expect(last.buttons).toMatchObject([{ disabled: false }, { disabled: true }]);
  });

  it('groups the digits of a large total', async () => {
    const { asking } = reviewed({ ...twelve, total: 12_345 });
    expect((await reviews.execute(asked(), asking)).footer).toContain('10 of 12,345 reviews');
  });

  it('asks for ten of the newest, or for what was said', async () => {
    const { asking, queries } = reviewed(twelve);
    await reviews.execute(asked(), asking);
    await reviews.execute(asked({ sort: 'lowest', limit: 50 }), asking);
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
  ])('takes %j, which somebody made up, for a question that it answers', async (options, query) => {
    const { asking, queries } = reviewed(twelve);
    const reply = await reviews.execute(asked(options), asking);
    expect(queries).toEqual([query]);
    expect(reply.fields?.length).toBeGreaterThan(0);
  });

  it('has kind words where there is no review yet', async () => {
    const reply = await reviews.execute(asked(), reviewed({ reviews: [], total: 0 }).asking);
    expect(reply.text).toBe('Nobody has written a review yet. Be the first!');
    expect(reply.buttons).toBeUndefined();
  });

  it('has words for what the service leaves out', async () => {
    const bare = reviewOf({ username: null, rating: null, comment: ' \u200B ', createdAt: null });
    const reply = await reviews.execute(asked(), reviewed({ reviews: [bare], total: 1 }).asking);
    expect(reply.fields).toEqual([{ name: 'No rating · Somebody', value: '*No words, only stars.*' }]);
  });

  it('says how old the reviews are when the service cannot be asked', async () => {
    const reply = await reviews.execute(asked(), reviewed(twelve, start - hour).asking);
    expect(reply.text).toContain(`<t:${(start - hour) / 1_000}:R>`);
  });

  it('cuts long reviews, so that a page always fits into an embed', async () => {
    const long = reviewOf({ username: '*'.repeat(500), rating: 3.7, comment: '_@everyone_ '.repeat(2_000) });
    const { asking } = reviewed({ reviews: Array.from({ length: 5 }, () => long), total: 5 }, start - hour);
    const { title = '', text = '', footer = '', fields = [] } = await reviews.execute(asked(), asking);
    for (const { name, value } of fields) {
      expect(name.length).toBeLessThanOrEqual(256);
      expect(value.length).toBeLessThanOrEqual(1_024);
    }
    const whole = [title, text, footer, ...fields.flatMap(({ name, value }) => [name, value])].join('');
    expect(whole.length).toBeLessThanOrEqual(6_000);
    expect(fields).toHaveLength(5);
  });

  it('is offered only where a server has a key', () => {
    const listed = { name: 'bot', lookup: knowing('bot', { profile: async () => bot }) };
    expect(reviews.isServedBy([listed])).toBe(false);
    expect(reviews.isServedBy(reviewed(twelve).asking.listings)).toBe(true);
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
  ])('of %d are %s', (rating, drawn) => expect(stars(rating)).toBe(drawn));
});
