import { z } from 'zod';
import { type CheckContext, type ConformanceCheck, failureFault, requestAs, Skip } from './check.ts';

const response = z.object({
  data: z.array(z.object({ rating: z.number(), createdAt: z.string() })),
  meta: z.object({ total: z.number(), shown: z.number() }),
});
type Reviews = z.infer<typeof response>;
type ReviewSeen = Reviews['data'][number];

/** As many reviews as a response may hold (document, section 8). */
const cap = 50;

const sorts: readonly (readonly [sort: string, inOrder: (a: ReviewSeen, b: ReviewSeen) => boolean])[] = [
  ['newest', (a, b) => Date.parse(a.createdAt) >= Date.parse(b.createdAt)],
  ['highest', (a, b) => a.rating >= b.rating],
  ['lowest', (a, b) => a.rating <= b.rating],
];

/** What holds of the parameters of `GET /reviews` (document, sections 2.5, 4 and 8). */
export function reviewChecks(): ConformanceCheck[] {
  const document = (line: string, see: ConformanceCheck['see']): ConformanceCheck => ({
    section: '4',
    line: `GET /reviews ${line}`,
    from: 'document',
    see,
  });
  const refused = (query: string): ConformanceCheck => ({
    section: 'silent',
    line: `GET /reviews?${query} is refused with 400`,
    from: 'choice',
    see: async (bench) => failureFault(await requestAs(bench, 'server', `/reviews?${query}`), 400),
  });
  return [
    document('shows 10 unless asked otherwise', shows('', 10)),
    document('shows no more than limit=1', shows('?limit=1', 1)),
    document('shows up to limit=50', shows('?limit=50', 50)),
    document('says the total and how many are shown', faultOfMeta),
    ...sorts.map(([sort, inOrder]) =>
      document(`sorts by ${sort}`, async (bench) => faultOfOrder(await ask(bench, `?limit=50&sort=${sort}`), inOrder)),
    ),
    document('sorts by newest unless asked otherwise', async (bench) => {
      const [plain, newest] = [await ask(bench, ''), await ask(bench, '?sort=newest')];
      return JSON.stringify(plain.data) === JSON.stringify(newest.data) ? null : 'another order';
    }),
    document('never shows more than 50', faultOfCap),
    {
      section: 'silent',
      line: 'GET /reviews?limit=51 means 50',
      from: 'choice',
      see: async (bench) => {
        const { status } = await requestAs(bench, 'server', '/reviews?limit=51');
        return status === 200 ? null : `status ${status}`;
      },
    },
    ...['limit=0', 'limit=-1', 'limit=1.5', 'limit=abc', 'limit=', 'limit=1&limit=2', 'sort=oldest', 'sort='].map(
      refused,
    ),
  ];
}

function shows(query: string, most: number): ConformanceCheck['see'] {
  return async (bench) => {
    const { data, meta } = await ask(bench, query);
    return data.length === Math.min(most, meta.total) ? null : `${data.length} of ${meta.total} shown`;
  };
}

/** The total is of the server and not of the response, so it is the same for every limit; unless a review comes in between. */
async function faultOfMeta(bench: CheckContext): Promise<string | null> {
  const [few, many, again] = [
    await ask(bench, '?limit=1'),
    await ask(bench, '?limit=50'),
    await ask(bench, '?limit=1'),
  ];
  const wrong = [few, many].find(({ data, meta }) => meta.shown !== data.length || meta.total < meta.shown);
  if (wrong !== undefined) return `${wrong.data.length} shown, ${JSON.stringify(wrong.meta)}`;
  const [least, most] = [few.meta.total, again.meta.total].toSorted((a, b) => a - b);
  const isSame = many.meta.total >= (least ?? 0) && many.meta.total <= (most ?? 0);
  return isSame ? null : `total ${few.meta.total} for limit=1, ${many.meta.total} for limit=50`;
}

/** Whether a limit above the cap is refused or clamped is not shown. @throws Skip where there are too few reviews to see it */
async function faultOfCap(bench: CheckContext): Promise<string | null> {
  let total = Number.POSITIVE_INFINITY;
  for (const limit of [51, 60, 1_000]) {
    const answer = await requestAs(bench, 'server', `/reviews?limit=${limit}`);
    if (answer.status === 400) continue;
    const { data, meta } = response.parse(answer.body);
    if (data.length > cap) return `${data.length} shown for limit=${limit}`;
    total = meta.total;
  }
  if (total <= cap) throw new Skip(`the server has ${total} reviews, and more than ${cap} are needed`);
  return null;
}

async function ask(bench: CheckContext, query: string): Promise<Reviews> {
  return response.parse((await requestAs(bench, 'server', `/reviews${query}`)).body);
}

function faultOfOrder({ data }: Reviews, inOrder: (a: ReviewSeen, b: ReviewSeen) => boolean): string | null {
  const wrong = data.findIndex((review, index) => {
    const next = data[index + 1];
    return next !== undefined && !inOrder(review, next);
  });
  return wrong === -1 ? null : `number ${wrong + 2} stands behind number ${wrong + 1}`;
}
