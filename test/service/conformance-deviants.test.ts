import { describe, expect, test } from 'vitest';
import { hour, minute } from '../../src/platform/durations.ts';
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
  const { clock: instanceClock } = instance;
  const clock = options.clock ?? { ...instanceClock, sleep: async (ms: number) => instanceClock.leap(ms) };
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

/** Counts what an endpoint of the API was asked with a valid key, and nothing else. */
const countedStatuses = [200, 304, 400];
const rejection = '{"success":false,"error":"Too many."}';

/** Replaces the limit of the service by one that `accepts` decides, with the key and the number of its requests. */
function limitedBy(
  accepts: (key: string, count: number) => boolean,
  isCounted: (status: number) => boolean = (status) => countedStatuses.includes(status),
): Deviation {
  const counts = new Map<string, number>();
  return (response, { key }) => {
    if (key === null || !(isCounted(response.status) || response.status === 429)) return;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (!accepts(key, count))
      Object.assign(response, { status: 429, contentType: 'application/json', body: rejection });
    else if (response.status === 429) Object.assign(response, { status: 200, body: '{"success":true,"data":{}}' });
  };
}

/** Accepts this many requests per key, and again after a quiet minute. */
function limitedTo(limit: number, clock: Running['clock'], isCounted?: (status: number) => boolean): Deviation {
  const windows = new Map<string, number[]>();
  return limitedBy((key) => {
    const now = clock.monotonic();
    const recent = (windows.get(key) ?? []).filter((at) => at > now - minute);
    const isAccepted = recent.length < limit;
    windows.set(key, isAccepted ? [...recent, now] : recent);
    return isAccepted;
  }, isCounted);
}

const earlyLimitLine = 'the first 120 requests in a minute do not return 429';
const lateLimitLine = 'no more than 120 requests in a minute are accepted';
const noLimitLine = 'more than 120 requests in a minute with one key return 429';

const allButOtherMethods: [string, (status: number) => boolean] = [
  'all but requests of another method',
  (status) => status !== 405,
];

describe.each([
  ['with both keys', false],
  ['with a server key alone', true],
])('%s', (_, serverKeyOnly) => {
  test.each([
    [60, [earlyLimitLine]],
    [100, [earlyLimitLine]],
    [119, [earlyLimitLine]],
    [120, []],
    [121, [lateLimitLine]],
    [200, [lateLimitLine]],
    [1_000, [noLimitLine]],
  ])('a rate limit of 120 holds, another one fails: %d', async (limit, lines) => {
    const instance = await startWithData();
    const results = await runSuite(limitedTo(limit, instance.clock), { skipRateLimit: false, serverKeyOnly }, instance);
    expect(failedLines(results)).toEqual(lines);
  });

  test.each<[string, (status: number) => boolean]>([
    ['successful requests', (status) => status === 200],
    ['requests of any kind', () => true],
    // The server's key has made a single request for an unknown path, so by itself it cannot tell 404s from the limit.
    ...(serverKeyOnly ? [] : [allButOtherMethods]),
  ])('a service may count %s', async (_rule, isCounted) => {
    for (const [limit, lines] of [
      [119, [earlyLimitLine]],
      [120, []],
      [121, [lateLimitLine]],
    ] as const) {
      const instance = await startWithData();
      const deviate = limitedTo(limit, instance.clock, isCounted);
      const results = await runSuite(deviate, { skipRateLimit: false, serverKeyOnly }, instance);
      expect(failedLines(results)).toEqual(lines);
    }
  });

  test('a fixed window that ends during the check is not a failure', async () => {
    const instance = await startWithData();
    let count = 0;
    const twice = limitedTo(120, instance.clock);
    const whole = limitedTo(120, instance.clock);
    const deviate: Deviation = (response, request, fetchOther) => {
      if (!request.key?.startsWith('server_')) return whole(response, request, fetchOther);
      count += 1;
      // The window ends here, and the next one has its own 120.
      return (count <= 100 ? twice : whole)(response, request, fetchOther);
    };
    expect(failedLines(await runSuite(deviate, { skipRateLimit: false, serverKeyOnly }, instance))).toEqual([]);
  });

  test('a token bucket may refill during the check, and one that holds more than 120 fails', async () => {
    for (const [capacity, lines] of [
      [120, []],
      [130, [lateLimitLine]],
    ] as const) {
      const instance = await startWithData();
      const { clock } = instance;
      const buckets = new Map<string, { tokens: number; at: number }>();
      const bucket = limitedBy((key) => {
        // A request takes 20 ms.
        clock.leap(20);
        const now = clock.monotonic();
        const { tokens, at } = buckets.get(key) ?? { tokens: capacity, at: now };
        const refilled = Math.min(capacity, tokens + ((now - at) * 120) / minute);
        buckets.set(key, { tokens: refilled >= 1 ? refilled - 1 : refilled, at: now });
        return refilled >= 1;
      });
      const results = await runSuite(bucket, { skipRateLimit: false, serverKeyOnly }, instance);
      expect(failedLines(results)).toEqual(lines);
    }
  });
});

test('a POST that succeeds fails', async () => {
  const writable: Deviation = (response) => {
    if (response.status === 405) Object.assign(response, { status: 200, body: '{"success":true,"data":{}}' });
  };
  expect(failedLines(await runSuite(writable))).toEqual([
    'GET /server is read-only: POST is not successful',
    'GET /bot is read-only: POST is not successful',
    'GET /votes/{userId} is read-only: POST is not successful',
    'GET /reviews is read-only: POST is not successful',
  ]);
});

test.each([
  ['vote dates without milliseconds', /\/votes\/3/, 'Z', 'a user who has voted: the dates have milliseconds'],
  ['vote dates with an offset', /\/votes\/3/, '.000+00:00', 'a user who has voted: the dates have milliseconds'],
  ['vote dates with microseconds', /\/votes\/3/, '.000000Z', 'a user who has voted: the dates have milliseconds'],
])('%s fail', async (_, path, ending, line) => {
  const changed = changeBody(path, (body) => {
    const data = dataObject(body);
    for (const name of ['lastVoteDate', 'nextVoteDate']) data[name] = String(data[name]).replace(/\.\d+Z$/, ending);
  });
  expect(failedLines(await runSuite(changed))).toContain(line);
});

test.each([
  ['without milliseconds', 'Z', true],
  ['with microseconds', '.000000Z', true],
  ['as +00:00', '.000+00:00', true],
  ['with another offset', '.000+02:00', false],
  ['without an offset', '.000', false],
])('the date of a review must be UTC: %s', async (_, ending, isUtc) => {
  const changed = changeBody(/\/reviews$/, (body) => {
    for (const review of dataList(body)) review['createdAt'] = String(review['createdAt']).replace(/\.\d+Z$/, ending);
  });
  const line = 'GET /reviews with a server key returns the success envelope with every documented field';
  expect(failedLines(await runSuite(changed))).toEqual(isUtc ? [] : expect.arrayContaining([line]));
});
