import { day, hour } from '@tallyhook/platform/durations';
import { describe, expect, it } from 'vitest';
import { reviews } from '../../../commands/reviews.ts';
import type { Reply, ReplyButton } from '../../../src/discord/commands/reply.ts';
import { renderReply } from '../../../src/discord/rendering/message.ts';
import type { CachedReviews } from '../../../src/lookup/lookup.ts';
import { bot, contextFor, fakeLookup, inputOf, reviewOf, start } from '../../support/command-fixture.ts';

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
  it('shows stars, author, text and date', async () => {
    const { context } = fixture({
      reviews: [reviewOf({ rating: 4, comment: 'Good boats.', createdAt: start - day })],
      total: 1,
    });
    const reply = await reviews.execute(inputOf(), context);
    expect(reply.fields).toEqual([{ name: '★★★★☆ 4/5 · mira', value: `Good boats.\n<t:${(start - day) / 1_000}:D>` }]);
    expect(reply.footer).toBe('1 review');
  });

  it('shows "Newest 12 of 345" on pages of five', async () => {
    const { context } = fixture(twelve);
    const first = await reviews.execute(inputOf({ limit: 12 }), context);
    expect(first.footer).toBe('Newest 12 of 345 · page 1 of 3');
    expect(first.fields?.map(({ name }) => name)).toEqual([1, 2, 3, 4, 5].map((n) => `★★★★★ 5/5 · writer${n}`));
    expect(first.buttons).toEqual([
      { kind: 'page', label: 'Previous', disabled: true, options: { sort: 'newest', limit: 12, page: 0 } },
      { kind: 'page', label: 'Next', disabled: false, options: { sort: 'newest', limit: 12, page: 2 } },
    ]);
    const last = await reviews.execute(inputOf({ sort: 'newest', limit: '12', page: '3' }), context);
    expect(last.fields?.map(({ name }) => name)).toEqual(['★★★★★ 5/5 · writer11', '★★★★★ 5/5 · writer12']);
    expect(last.buttons).toMatchObject([{ disabled: false }, { disabled: true }]);
  });

  it('requests the newest, or the order of the member, and as many as one request returns', async () => {
    const { context, queries } = fixture(twelve);
    await reviews.execute(inputOf(), context);
    await reviews.execute(inputOf({ sort: 'lowest', limit: 3 }), context);
    expect(queries).toEqual([
      { sort: 'newest', limit: 50 },
      { sort: 'lowest', limit: 50 },
    ]);
  });

  it.each([
    [{ sort: 'worst', limit: '1e9', page: '-7', stars: '6' }, 'newest', 'Newest 12 of 345 · page 1 of 3'],
    [{ sort: '', limit: '2.5', page: 'NaN', stars: '-1' }, 'newest', 'Newest 10 of 345 · page 1 of 2'],
    [{ sort: 'highest', limit: '-1', page: '99', stars: '4.5' }, 'highest', 'Best rated 1 of 345'],
    [{ limit: '', stars: '' }, 'newest', 'Newest 1 of 345'],
    [{ page: '99', stars: '5' }, 'newest', 'With 5 stars: 12 of the newest 12 reviews · 10 shown · page 2 of 2'],
    [{ page: '99', stars: '1' }, 'newest', 'With 1 star: 0 of the newest 12 reviews'],
  ])('replaces the forged options %j with valid ones', async (options, sort, footer) => {
    const { context, queries } = fixture(twelve);
    expect((await reviews.execute(inputOf(options), context)).footer).toBe(footer);
    expect(queries).toEqual([{ sort, limit: 50 }]);
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

describe('the filter of /reviews', () => {
  /** 30 reviews with 5 stars, 12 with 4, and of each other rating one; the newest 50 of 345. */
  const ratings = [...Array(30).fill(5), ...Array(12).fill(4), 3, 2, 4.4, 3.5, 0, null, -1, 10];
  const fifty: CachedReviews = {
    reviews: ratings.map((rating, place) => reviewOf({ rating, username: `writer${place + 1}` })),
    total: 345,
  };
  const ratingsOf = (reply: Reply) => reply.fields?.map(({ name }) => name.split(' · ')[0]);

  it('shows the reviews with as many stars, and says what was searched', async () => {
    const { context } = fixture(fifty);
    const reply = await reviews.execute(inputOf({ stars: 3 }), context);
    expect(ratingsOf(reply)).toEqual(['★★★☆☆ 3/5']);
    expect(reply.footer).toBe('With 3 stars: 1 of the newest 50 reviews');
    const highest = await reviews.execute(inputOf({ stars: 1, sort: 'highest' }), context);
    expect(highest).toMatchObject({
      text: 'No review found with this many stars.',
      fields: [],
      footer: 'With 1 star: 0 of the 50 highest rated reviews',
      buttons: [],
    });
    expect((await reviews.execute(inputOf({ stars: 2, sort: 'lowest' }), context)).footer).toBe(
      'With 2 stars: 1 of the 50 lowest rated reviews',
    );
  });

  it('claims to have searched all reviews only if it has', async () => {
    const { context } = fixture({ ...fifty, total: 50 });
    const reply = await reviews.execute(inputOf({ stars: 2, sort: 'lowest' }), context);
    expect(reply.footer).toBe('With 2 stars: 1 of 50 reviews');
  });

  it('counts a fractional rating as the stars that it is shown with, and no rating outside five stars', async () => {
    const { context } = fixture(fifty);
    const four = await reviews.execute(inputOf({ stars: 4, limit: 50, page: 3 }), context);
    expect(ratingsOf(four)).toEqual(['★★★★☆ 4/5', '★★★★☆ 4/5', '★★★★☆ 4.4/5', '★★★★☆ 3.5/5']);
    const all = await reviews.execute(inputOf({ limit: 50, page: 10 }), context);
    expect(ratingsOf(all)).toEqual(['★★★★☆ 3.5/5', '☆☆☆☆☆ 0/5', 'No rating', '★ -1', '★ 10']);
    expect(all.footer).toBe('Newest 50 of 345 · page 10 of 10');
  });

  it('stays with the limit and on the other pages', async () => {
    const { context } = fixture(fifty);
    const first = await reviews.execute(inputOf({ stars: 5, limit: 12, sort: 'newest' }), context);
    expect(first.footer).toBe('With 5 stars: 30 of the newest 50 reviews · 12 shown · page 1 of 3');
    const [, next] = first.buttons ?? [];
    expect(next).toMatchObject({ options: { sort: 'newest', limit: 12, stars: 5, page: 2 }, disabled: false });
    const second = await reviews.execute(inputOf(pageOptions(next)), context);
    expect(second.footer).toContain('page 2 of 3');
    expect(ratingsOf(second)).toEqual(Array(5).fill('★★★★★ 5/5'));
  });

  it('can be changed under the reviews, by the ratings that were found', async () => {
    const { context } = fixture(fifty);
    const all = await reviews.execute(inputOf({ limit: 12, sort: 'newest' }), context);
    expect(all.selects).toEqual([
      {
        kind: 'choices',
        action: 'stars',
        options: { sort: 'newest', limit: 12 },
        choices: [
          { label: 'All reviews', value: '0', selected: true },
          { label: '★★★★★ 5/5', value: '5', description: '30 reviews', selected: false },
          { label: '★★★★☆ 4/5', value: '4', description: '14 reviews', selected: false },
          { label: '★★★☆☆ 3/5', value: '3', description: '1 review', selected: false },
          { label: '★★☆☆☆ 2/5', value: '2', description: '1 review', selected: false },
        ],
      },
    ]);
    const select = (stars: string) =>
      reviews.execute(inputOf({ limit: '12', sort: 'newest' }, { action: 'stars', values: [stars] }), context);
    const five = await select('5');
    expect(five).toMatchObject({ response: 'update', footer: expect.stringMatching(/^With 5 stars: 30 of/) });
    expect(choicesOf(five).filter(({ selected }) => selected)).toMatchObject([{ value: '5' }]);
    expect((await select('0')).footer).toBe('Newest 12 of 345 · page 1 of 3');
    expect((await select('forged')).footer).toBe('Newest 12 of 345 · page 1 of 3');
    expect(choicesOf(await select('1')).filter(({ selected }) => selected)).toMatchObject([
      { value: '1', description: '0 reviews' },
    ]);
  });

  it('fits into the ids of its components, with the longest name of a listing', async () => {
    const { context } = fixture(fifty);
    const name = 'n'.repeat(32);
    const listings = [...context.listings, ...context.listings.map((listing) => ({ ...listing, name }))];
    const options = { sort: 'highest', limit: 50, stars: 5, page: 9, listing: name };
    const body = renderReply(await reviews.execute(inputOf(options), { ...context, listings }), 'reviews');
    const ids = JSON.stringify(body).match(/tallyhook:[^"]+/g) ?? [];
    expect(ids).toHaveLength(3);
    for (const id of ids) expect(id).toContain(`listing=${name}`);
  });
});

const pageOptions = (button: ReplyButton | undefined) => (button?.kind === 'page' ? button.options : {});
const choicesOf = ({ selects: [select] = [] }: Reply) => (select?.kind === 'choices' ? select.choices : []);
