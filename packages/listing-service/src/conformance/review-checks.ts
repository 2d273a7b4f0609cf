import { z } from 'zod';
import {
  type CheckContext,
  type ConformanceCheck,
  chosen,
  documented,
  failureIssue,
  requestWithKey,
  SkipCheckError,
  statusIssue,
} from './check.ts';

const reviewsSchema = z.object({
  data: z.array(z.object({ rating: z.number(), createdAt: z.string() })),
  meta: z.object({ total: z.number(), shown: z.number() }),
});
type Reviews = z.infer<typeof reviewsSchema>;
type ReviewItem = Reviews['data'][number];

/** Maximum number of reviews in a response (document, section 8). */
const maxReviews = 50;

const sorts: readonly (readonly [sort: string, isOrdered: (a: ReviewItem, b: ReviewItem) => boolean])[] = [
  ['newest', (a, b) => Date.parse(a.createdAt) >= Date.parse(b.createdAt)],
  ['highest', (a, b) => a.rating >= b.rating],
  ['lowest', (a, b) => a.rating <= b.rating],
];

const invalidQueries = [
  'limit=0',
  'limit=-1',
  'limit=1.5',
  'limit=abc',
  'limit=',
  'limit=1&limit=2',
  'sort=oldest',
  'sort=',
];

/** The checks of the parameters of `GET /reviews` (document, sections 2.5, 4 and 8). */
export function reviewChecks(): ConformanceCheck[] {
  const document = (line: string, run: ConformanceCheck['run']) => documented('4', `GET /reviews ${line}`, run);
  return [
    document('returns 10 reviews by default', (context) => countIssue(context, '', 10)),
    document('returns no more than limit=1', (context) => countIssue(context, '?limit=1', 1)),
    document('returns up to limit=50', (context) => countIssue(context, '?limit=50', 50)),
    document('has the total and the number shown in its meta', metaIssue),
    ...sorts.map(([sort, isOrdered]) =>
      document(`sorts by ${sort}`, async (context) =>
        orderIssue(await fetchReviews(context, `?limit=50&sort=${sort}`), isOrdered),
      ),
    ),
    document('sorts by newest by default', async (context) => {
      const [before, byDefault, after] = [
        await fetchReviews(context, '?sort=newest'),
        await fetchReviews(context, ''),
        await fetchReviews(context, '?sort=newest'),
      ].map(({ data }) => JSON.stringify(data));
      // A review may be added meanwhile.
      return byDefault === before || byDefault === after ? null : 'another order';
    }),
    document('never returns more than 50', maxReviewsIssue),
    chosen('GET /reviews?limit=51 is reduced to 50', async (context) =>
      statusIssue(await requestWithKey(context, 'server', '/reviews?limit=51'), 200),
    ),
    ...invalidQueries.map((query) =>
      chosen(`GET /reviews?${query} is rejected with 400`, async (context) =>
        failureIssue(await requestWithKey(context, 'server', `/reviews?${query}`), 400),
      ),
    ),
  ];
}

async function countIssue(context: CheckContext, query: string, limit: number): Promise<string | null> {
  const { data, meta } = await fetchReviews(context, query);
  return data.length === Math.min(limit, meta.total) ? null : `${data.length} of ${meta.total} shown`;
}

/**
 * The total counts the reviews of the server, so it does not depend on the limit. It may change if a review is added
 * meanwhile.
 */
async function metaIssue(context: CheckContext): Promise<string | null> {
  const [one, many, oneAgain] = [
    await fetchReviews(context, '?limit=1'),
    await fetchReviews(context, '?limit=50'),
    await fetchReviews(context, '?limit=1'),
  ];
  const mismatch = [one, many].find(({ data, meta }) => meta.shown !== data.length || meta.total < meta.shown);
  if (mismatch !== undefined) return `${mismatch.data.length} shown, ${JSON.stringify(mismatch.meta)}`;
  const totals = [one.meta.total, oneAgain.meta.total];
  const isConsistent = many.meta.total >= Math.min(...totals) && many.meta.total <= Math.max(...totals);
  return isConsistent ? null : `total ${one.meta.total} for limit=1, ${many.meta.total} for limit=50`;
}

/**
 * A higher limit may be rejected or reduced: the document does not define which.
 * @throws SkipCheckError if there are too few reviews
 */
async function maxReviewsIssue(context: CheckContext): Promise<string | null> {
  let total = Number.POSITIVE_INFINITY;
  for (const limit of [51, 60, 1_000]) {
    const response = await requestWithKey(context, 'server', `/reviews?limit=${limit}`);
    if (response.status === 400) continue;
    const { data, meta } = reviewsSchema.parse(response.body);
    if (data.length > maxReviews) return `${data.length} shown for limit=${limit}`;
    total = meta.total;
  }
  if (total <= maxReviews) {
    throw new SkipCheckError(`the server has ${total} reviews, and more than ${maxReviews} are needed`);
  }
  return null;
}

async function fetchReviews(context: CheckContext, query: string): Promise<Reviews> {
  return reviewsSchema.parse((await requestWithKey(context, 'server', `/reviews${query}`)).body);
}

function orderIssue({ data }: Reviews, isOrdered: (a: ReviewItem, b: ReviewItem) => boolean): string | null {
  const misplaced = data.findIndex((review, index) => {
    const next = data[index + 1];
    return next !== undefined && !isOrdered(review, next);
  });
  return misplaced === -1 ? null : `review ${misplaced + 2} is in the wrong order`;
}
