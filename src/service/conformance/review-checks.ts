import { z } from 'zod';
import { askAs, type Bench, type Check, failureFault } from './check.ts';

const response = z.object({
  data: z.array(z.object({ rating: z.number(), createdAt: z.string() })),
  meta: z.object({ total: z.number(), shown: z.number() }),
});
type Reviews = z.infer<typeof response>;
type ReviewSeen = Reviews['data'][number];

const sorts: readonly (readonly [sort: string, inOrder: (a: ReviewSeen, b: ReviewSeen) => boolean])[] = [
  ['newest', (a, b) => Date.parse(a.createdAt) >= Date.parse(b.createdAt)],
  ['highest', (a, b) => a.rating >= b.rating],
  ['lowest', (a, b) => a.rating <= b.rating],
];

/** What holds of the parameters of `GET /reviews` (document, sections 2.5, 4 and 8). */
export function reviewChecks(): Check[] {
  const document = (line: string, see: Check['see']): Check => ({
    section: '4',
    line: `GET /reviews ${line}`,
    from: 'document',
    see,
  });
  const refused = (query: string): Check => ({
    section: 'silent',
    line: `GET /reviews?${query} is refused with 400`,
    from: 'choice',
    see: async (bench) => failureFault(await askAs(bench, 'server', `/reviews?${query}`), 400),
  });
  return [
    document('shows 10 unless asked otherwise', shows('', 10)),
    document('shows no more than limit=1', shows('?limit=1', 1)),
    document('shows up to limit=50', shows('?limit=50', 50)),
    document('says the total and how many are shown', async (bench) => {
      const { data, meta } = await ask(bench, '?limit=3');
      return meta.shown === data.length && meta.total >= meta.shown ? null : JSON.stringify(meta);
    }),
    ...sorts.map(([sort, inOrder]) =>
      document(`sorts by ${sort}`, async (bench) => faultOfOrder(await ask(bench, `?limit=50&sort=${sort}`), inOrder)),
    ),
    document('sorts by newest unless asked otherwise', async (bench) => {
      const [plain, newest] = [await ask(bench, ''), await ask(bench, '?sort=newest')];
      return JSON.stringify(plain.data) === JSON.stringify(newest.data) ? null : 'another order';
    }),
    document('never shows more than 50', async (bench) => {
      const answer = await askAs(bench, 'server', '/reviews?limit=51');
      if (answer.status === 400) return null;
      const { data } = response.parse(answer.body);
      return data.length <= 50 ? null : `${data.length} shown`;
    }),
    {
      section: 'silent',
      line: 'GET /reviews?limit=51 means 50',
      from: 'choice',
      see: async (bench) => {
        const { status } = await askAs(bench, 'server', '/reviews?limit=51');
        return status === 200 ? null : `status ${status}`;
      },
    },
    ...['limit=0', 'limit=-1', 'limit=1.5', 'limit=abc', 'limit=', 'limit=1&limit=2', 'sort=oldest', 'sort='].map(
      refused,
    ),
  ];
}

function shows(query: string, most: number): Check['see'] {
  return async (bench) => {
    const { data, meta } = await ask(bench, query);
    return data.length === Math.min(most, meta.total) ? null : `${data.length} of ${meta.total} shown`;
  };
}

async function ask(bench: Bench, query: string): Promise<Reviews> {
  return response.parse((await askAs(bench, 'server', `/reviews${query}`)).body);
}

function faultOfOrder({ data }: Reviews, inOrder: (a: ReviewSeen, b: ReviewSeen) => boolean): string | null {
  const wrong = data.findIndex((review, index) => {
    const next = data[index + 1];
    return next !== undefined && !inOrder(review, next);
  });
  return wrong === -1 ? null : `number ${wrong + 2} stands behind number ${wrong + 1}`;
}
