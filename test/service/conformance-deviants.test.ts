import { expect, test } from 'vitest';
import { hour, minute, second } from '../../src/platform/durations.ts';
import { type ConformanceResult, runConformance } from '../../src/service/conformance/suite.ts';
import { changeBody, type Deviation, dataList, dataObject, startDeviatingProxy } from './deviant.ts';
import { mira, type Running, running, serverId } from './running.ts';

/** The service with a voter and with more reviews than a response may contain. */
async function startWithData(): Promise<Running> {
  const instance = await running();
  await instance.service.castVote({ listingId: serverId, ...mira });
  instance.clock.leap(hour);
  for (let user = 1; user <= 20; user += 1) {
    await instance.service.addReview({
      listingId: serverId,
      userId: `${user}`,
      username: `u${user}`,
      rating: 3,
      comment: '',
    });
  }
  return instance;
}

interface Options {
  readonly skipRateLimit?: boolean;
  readonly serverKeyOnly?: boolean;
  readonly clock?: Running['clock'];
}

/** The results of the checks that do not hold. */
async function runSuite(deviate: Deviation, options: Options = {}, running?: Running): Promise<ConformanceResult[]> {
  const { skipRateLimit = true, serverKeyOnly = false } = options;
  const instance = running ?? (await startWithData());
  const { server, bot } = instance.keys;
  const keys = serverKeyOnly ? { server } : { server, bot };
  const baseUrl = await startDeviatingProxy(instance, deviate);
  const clock = options.clock ?? instance.clock;
  const results: ConformanceResult[] = [];
  for await (const result of runConformance({ baseUrl, keys, votedUser: mira.userId, skipRateLimit, clock })) {
    if (result.outcome !== 'holds') results.push(result);
  }
  return results;
}

const failedLines = (results: readonly ConformanceResult[]) =>
  results.filter(({ outcome }) => outcome === 'fails').map(({ line }) => line);

test('the service passes behind a proxy that changes nothing, including the rate limit', async () => {
  expect(await runSuite(() => {}, { skipRateLimit: false })).toEqual([]);
});

test('more reviews than the maximum fail', async () => {
  const ignoringMaximum: Deviation = async (response, { url }, fetchOther) => {
    const limit = Number(url.searchParams.get('limit'));
    if (response.status !== 200 || limit !== 60) return;
    const path = `${url.pathname}?limit=10&sort=lowest`;
    const [all, more] = [response, await fetchOther(path)].map(({ body }) => JSON.parse(body));
    response.body = JSON.stringify({ ...all, data: [...all.data, ...more.data], meta: { ...all.meta, shown: 60 } });
  };
  expect(failedLines(await runSuite(ignoringMaximum))).toEqual(['GET /reviews never returns more than 50']);
});

test('the maximum is skipped if there are too few reviews', async () => {
  const instance = await running();
  await instance.service.castVote({ listingId: serverId, ...mira });
  expect(await runSuite(() => {}, {}, instance)).toEqual([
    {
      section: '4',
      line: 'GET /reviews never returns more than 50',
      outcome: 'skipped',
      saw: 'the server has 31 reviews, and more than 50 are needed',
    },
  ]);
});

test.each<[string, (seconds: number) => unknown]>([
  ['always 0', () => 0],
  ['a minute more', (seconds) => seconds + 60],
  ['three seconds less', (seconds) => seconds - 3],
  ['in minutes', (seconds) => Math.ceil(seconds / 60)],
  ['in milliseconds', (seconds) => seconds * 1_000],
  ['the time since the vote', (seconds) => 12 * 60 * 60 - seconds],
  ['missing', () => undefined],
  ['a string', String],
])('a wrong secondsUntilVote fails: %s', async (_, change) => {
  const results = await runSuite(
    changeBody(/\/votes\/3/, (body) => {
      const data = dataObject(body);
      data['secondsUntilVote'] = change(Number(data['secondsUntilVote']));
    }),
  );
  expect(failedLines(results)).toContain('a user who has voted: secondsUntilVote is the time until nextVoteDate');
});

test('secondsUntilVote may be rounded up or down, and may agree with the clock of the service instead of the local one', async () => {
  const roundingDown = changeBody(/\/votes\/3/, (body) => {
    const data = dataObject(body);
    data['secondsUntilVote'] = Number(data['secondsUntilVote']) - 0.9;
  });
  expect(failedLines(await runSuite(roundingDown))).toEqual([]);

  const instance = await startWithData();
  const { clock } = instance;
  const wrongClock = { ...clock, now: () => clock.now() - 10 * minute };
  const withoutDate = await runSuite(() => {}, { clock: wrongClock }, instance);
  expect(failedLines(withoutDate)).toHaveLength(1);
  clock.leap(minute);
  const shifted = changeBody(/\/votes\/3/, (body) => {
    const data = dataObject(body);
    // The Date header is real time. Computing the offset per response keeps a slow run within the tolerance.
    const offsetMs = Date.now() - clock.now();
    for (const name of ['lastVoteDate', 'nextVoteDate'])
      data[name] = new Date(Date.parse(String(data[name])) + offsetMs).toISOString();
  });
  expect(failedLines(await runSuite(shifted, { clock: wrongClock }, instance))).toEqual([]);
});

test('a total that only counts the returned reviews fails', async () => {
  const onlyShown = changeBody(/\/reviews$/, ({ meta }) => {
    if (meta !== undefined) meta.total = meta.shown;
  });
  expect(failedLines(await runSuite(onlyShown))).toEqual([
    'GET /reviews has the total and the number shown in its meta',
  ]);
});

test('a review that is added during the check changes the total, which is not a failure', async () => {
  let requestCount = 0;
  const growing = changeBody(/\/reviews$/, ({ meta }) => {
    requestCount += 1;
    if (meta !== undefined) meta.total += requestCount;
  });
  expect(failedLines(await runSuite(growing))).toEqual([]);
});

test.each<[string, number, Deviation]>([
  ['an HTML page for a missing key', 401, (response) => Object.assign(response, htmlPage)],
  ['an HTML page for the wrong key', 400, (response) => Object.assign(response, htmlPage)],
  ['an empty body', 401, (response) => Object.assign(response, { body: '' })],
  ['JSON as text/plain', 401, (response) => Object.assign(response, { contentType: 'text/plain' })],
  ['JSON of another shape', 400, (response) => Object.assign(response, { body: '{"message":"no"}' })],
  ['an HTML page for an unknown path', 404, (response) => Object.assign(response, htmlPage)],
  ['an HTML page for another method', 405, (response) => Object.assign(response, htmlPage)],
])('failures that are not JSON in the envelope fail: %s', async (_, status, deviate) => {
  const results = await runSuite((response, requestCount, fetchOther) =>
    response.status === status ? deviate(response, requestCount, fetchOther) : null,
  );
  expect(failedLines(results)).toContain('every failure in this run is JSON in the failure envelope');
  expect(JSON.stringify(results)).not.toContain('key=');
});

const htmlPage = { contentType: 'text/html', body: '<h1>No</h1>' };

/** Accepts this many requests per key, regardless of the limit of the service. */
function limitedTo(limit: number): Deviation {
  const counts = new Map<string, number>();
  return (response, { key }) => {
    if (key === null || ![200, 304, 400, 429].includes(response.status)) return;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    const body = '{"success":false,"error":"Too many."}';
    if (count > limit) Object.assign(response, { status: 429, contentType: 'application/json', body });
    else if (response.status === 429) Object.assign(response, { status: 200, body: '{"success":true,"data":{}}' });
  };
}

const earlyLimitLine = 'the first 120 requests in a minute do not return 429';
const lateLimitLine = 'no more than 120 requests in a minute are accepted';
const noLimitLine = 'more than 120 requests in a minute with one key return 429';

test.each([
  [60, earlyLimitLine],
  [100, earlyLimitLine],
  [121, lateLimitLine],
  [200, lateLimitLine],
  [1_000, noLimitLine],
])('a rate limit of %d fails', async (limit, line) => {
  expect(failedLines(await runSuite(limitedTo(limit), { skipRateLimit: false }))).toContain(line);
});

test('without a bot key, a limit that is too high fails after a second measurement, one and a half windows later', async () => {
  const instance = await startWithData();
  const { clock } = instance;
  let counts = limitedTo(200);
  const sleeps: number[] = [];
  const sleep = async (ms: number) => {
    sleeps.push(ms);
    clock.leap(ms);
    counts = limitedTo(200);
  };
  const deviate: Deviation = (...all) => counts(...all);
  const options = { skipRateLimit: false, serverKeyOnly: true, clock: { ...clock, sleep } };
  expect(failedLines(await runSuite(deviate, options, instance))).toEqual([lateLimitLine]);
  expect(sleeps).toEqual([90 * second]);
});

test('a fixed window that ends during the check is not a failure', async () => {
  let [server, requestCount] = [limitedTo(120), 0];
  const others = limitedTo(120);
  const deviate: Deviation = (response, request, fetchOther) => {
    if (request.key?.startsWith('server_')) {
      requestCount += 1;
      // The window ends here, and the next one has its own 120.
      if (requestCount === 100) server = limitedTo(120);
      return server(response, request, fetchOther);
    }
    return others(response, request, fetchOther);
  };
  const results = await runSuite(deviate, { skipRateLimit: false });
  expect(failedLines(results)).toEqual([]);
  expect(results.map(({ outcome }) => outcome)).toEqual(['differs']);
});

test('dates without milliseconds are not a failure', async () => {
  const withoutMs = (date: unknown) => String(date).replace('.000Z', 'Z');
  const withoutMilliseconds: Deviation = (...all) => {
    changeBody(/\/votes\/3/, (body) => {
      const data = dataObject(body);
      Object.assign(data, {
        lastVoteDate: withoutMs(data['lastVoteDate']),
        nextVoteDate: withoutMs(data['nextVoteDate']),
      });
    })(...all);
    changeBody(/\/reviews$/, (body) => {
      for (const review of dataList(body)) review['createdAt'] = withoutMs(review['createdAt']);
    })(...all);
  };
  const results = await runSuite(withoutMilliseconds);
  expect(failedLines(results)).toEqual([]);
  expect(results.map(({ line }) => line)).toContain('a user who has voted: the dates have milliseconds');
});
