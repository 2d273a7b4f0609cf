import { minute } from '@tallyhook/platform/durations';
import { sample } from '@tallyhook/platform/testing/sample';
import { expect, test } from 'vitest';
import { mira, running, serverId } from '../testing/running.ts';
import { changeBody, type Deviation, dataList, dataObject } from './deviant.ts';
import {
  earlyLimitLine,
  failedLines,
  lateLimitLine,
  limitedTo,
  noLimitLine,
  runSuite,
  startWithData,
} from './deviating-suite.ts';

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
  ...sample<[string, (seconds: number) => unknown]>([
    ['always 0', () => 0],
    ['a minute more', (seconds) => seconds + 60],
    ['three seconds less', (seconds) => seconds - 3],
    ['in minutes', (seconds) => Math.ceil(seconds / 60)],
    ['in milliseconds', (seconds) => seconds * 1_000],
    ['the time since the vote', (seconds) => 12 * 60 * 60 - seconds],
    ['missing', () => undefined],
    ['a string', String],
  ]),
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
    const offsetMs = performance.timeOrigin + performance.now() - clock.now();
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
  ...sample<[string, number, Deviation]>([
    ['an HTML page for a missing key', 401, (response) => Object.assign(response, htmlPage)],
    ['an HTML page for the wrong key', 400, (response) => Object.assign(response, htmlPage)],
    ['an empty body', 401, (response) => Object.assign(response, { body: '' })],
    ['JSON as text/plain', 401, (response) => Object.assign(response, { contentType: 'text/plain' })],
    ['JSON of another shape', 400, (response) => Object.assign(response, { body: '{"message":"no"}' })],
    ['an HTML page for an unknown path', 404, (response) => Object.assign(response, htmlPage)],
    ['an HTML page for another method', 405, (response) => Object.assign(response, htmlPage)],
  ]),
])('failures that are not JSON in the envelope fail: %s', async (_, status, deviate) => {
  const results = await runSuite((response, requestCount, fetchOther) =>
    response.status === status ? deviate(response, requestCount, fetchOther) : null,
  );
  expect(failedLines(results)).toContain('every failure in this run is JSON in the failure envelope');
  expect(JSON.stringify(results)).not.toContain('key=');
});

const htmlPage = { contentType: 'text/html', body: '<h1>No</h1>' };

test.each([
  ...sample([
    [119, [earlyLimitLine]],
    [120, []],
    [121, [lateLimitLine]],
    [1_000, [noLimitLine]],
  ]),
])('a rate limit of 120 holds, another one fails: %d', async (limit, lines) => {
  const instance = await startWithData();
  const results = await runSuite(limitedTo(limit, instance.clock), { skipRateLimit: false }, instance);
  expect(failedLines(results)).toEqual(lines);
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
  ...sample([
    ['vote dates without milliseconds', /\/votes\/3/, 'Z', 'a user who has voted: the dates have milliseconds'],
    ['vote dates with an offset', /\/votes\/3/, '.000+02:00', 'a user who has voted: the dates have milliseconds'],
    ['vote dates with microseconds', /\/votes\/3/, '.000000Z', 'a user who has voted: the dates have milliseconds'],
  ]),
])('%s fail', async (_, path, ending, line) => {
  const changed = changeBody(path, (body) => {
    const data = dataObject(body);
    for (const name of ['lastVoteDate', 'nextVoteDate']) data[name] = String(data[name]).replace(/\.\d+Z$/, ending);
  });
  expect(failedLines(await runSuite(changed))).toContain(line);
});

test.each([
  ...sample([
    ['without milliseconds', 'Z', true],
    ['with microseconds', '.000000Z', true],
    ['as +00:00', '.000+00:00', true],
    ['with another offset', '.000+02:00', false],
    ['without an offset', '.000', false],
  ]),
])('the date of a review must be UTC: %s', async (_, ending, isUtc) => {
  const changed = changeBody(/\/reviews$/, (body) => {
    for (const review of dataList(body)) review['createdAt'] = String(review['createdAt']).replace(/\.\d+Z$/, ending);
  });
  const line = 'GET /reviews with a server key returns the success envelope with every documented field';
  expect(failedLines(await runSuite(changed))).toEqual(isUtc ? [] : expect.arrayContaining([line]));
});
