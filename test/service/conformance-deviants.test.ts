import { expect, test } from 'vitest';
import { hour, minute, second } from '../../src/platform/durations.ts';
import { type ConformanceFinding, conformance } from '../../src/service/conformance/suite.ts';
import { changing, type Deviation, deviant, fields, items } from './deviant.ts';
import { mira, type Running, running, serverId } from './running.ts';

/** The service with a voter and more reviews than a response may hold. */
async function furnished(): Promise<Running> {
  const real = await running();
  await real.service.castVote({ listingId: serverId, ...mira });
  real.clock.leap(hour);
  for (let user = 1; user <= 20; user += 1) {
    await real.service.addReview({
      listingId: serverId,
      userId: `${user}`,
      username: `u${user}`,
      rating: 3,
      comment: '',
    });
  }
  return real;
}

interface Options {
  readonly skipRateLimit?: boolean;
  readonly serverKeyOnly?: boolean;
  readonly clock?: Running['clock'];
}

/** All that does not hold. */
async function found(deviate: Deviation, options: Options = {}, real?: Running): Promise<ConformanceFinding[]> {
  const { skipRateLimit = true, serverKeyOnly = false } = options;
  const behind = real ?? (await furnished());
  const { server, bot } = behind.keys;
  const keys = serverKeyOnly ? { server } : { server, bot };
  const baseUrl = await deviant(behind, deviate);
  const clock = options.clock ?? behind.clock;
  const findings: ConformanceFinding[] = [];
  for await (const finding of conformance({ baseUrl, keys, votedUser: mira.userId, skipRateLimit, clock })) {
    if (finding.outcome !== 'holds') findings.push(finding);
  }
  return findings;
}

const failed = (findings: readonly ConformanceFinding[]) =>
  findings.filter(({ outcome }) => outcome === 'fails').map(({ line }) => line);

test('the service itself passes behind a proxy that changes nothing, the rate limit too', async () => {
  expect(await found(() => {}, { skipRateLimit: false })).toEqual([]);
});

test('an ignored cap fails', async () => {
  const ignoringCap: Deviation = async (passing, { url }, again) => {
    const limit = Number(url.searchParams.get('limit'));
    if (passing.status !== 200 || limit !== 60) return;
    const path = `${url.pathname}?limit=10&sort=lowest`;
    const [all, more] = [passing, await again(path)].map(({ body }) => JSON.parse(body));
    passing.body = JSON.stringify({ ...all, data: [...all.data, ...more.data], meta: { ...all.meta, shown: 60 } });
  };
  expect(failed(await found(ignoringCap))).toEqual(['GET /reviews never shows more than 50']);
});

test('a cap that cannot be seen, because there are too few reviews, is skipped', async () => {
  const real = await running();
  await real.service.castVote({ listingId: serverId, ...mira });
  expect(await found(() => {}, {}, real)).toEqual([
    {
      section: '4',
      line: 'GET /reviews never shows more than 50',
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
])('wrong secondsUntilVote fails: %s', async (_, change) => {
  const findings = await found(
    changing(/\/votes\/3/, (body) => {
      const data = fields(body);
      data['secondsUntilVote'] = change(Number(data['secondsUntilVote']));
    }),
  );
  expect(failed(findings)).toContain('a user who has voted: secondsUntilVote is the time until nextVoteDate');
});

test('secondsUntilVote may be rounded either way, and is right by the clock of the service where ours is wrong', async () => {
  const cutting = changing(/\/votes\/3/, (body) => {
    const data = fields(body);
    data['secondsUntilVote'] = Number(data['secondsUntilVote']) - 0.9;
  });
  expect(failed(await found(cutting))).toEqual([]);

  const real = await furnished();
  const { clock } = real;
  const wrongClock = { ...clock, now: () => clock.now() - 10 * minute };
  const withoutDate = await found(() => {}, { clock: wrongClock }, real);
  expect(failed(withoutDate)).toHaveLength(1);
  clock.leap(minute);
  const ahead = Date.now() - clock.now();
  const now = changing(/\/votes\/3/, (body) => {
    const data = fields(body);
    for (const name of ['lastVoteDate', 'nextVoteDate'])
      data[name] = new Date(Date.parse(String(data[name])) + ahead).toISOString();
  });
  expect(failed(await found(now, { clock: wrongClock }, real))).toEqual([]);
});

test('a total that is only what is shown fails', async () => {
  const onlyShown = changing(/\/reviews$/, ({ meta }) => {
    if (meta !== undefined) meta.total = meta.shown;
  });
  expect(failed(await found(onlyShown))).toEqual(['GET /reviews says the total and how many are shown']);
});

test('a review that comes in between changes the total, and is no failure', async () => {
  let asked = 0;
  const growing = changing(/\/reviews$/, ({ meta }) => {
    asked += 1;
    if (meta !== undefined) meta.total += asked;
  });
  expect(failed(await found(growing))).toEqual([]);
});

test.each<[string, number, Deviation]>([
  ['a page for a missing key', 401, (passing) => Object.assign(passing, page)],
  ['a page for the wrong key', 400, (passing) => Object.assign(passing, page)],
  ['nothing', 401, (passing) => Object.assign(passing, { body: '' })],
  ['JSON as text', 401, (passing) => Object.assign(passing, { contentType: 'text/plain' })],
  ['JSON of another shape', 400, (passing) => Object.assign(passing, { body: '{"message":"no"}' })],
  ['a page for an unknown path', 404, (passing) => Object.assign(passing, page)],
  ['a page for another method', 405, (passing) => Object.assign(passing, page)],
])('failures that are not JSON in the envelope fail: %s', async (_, status, deviate) => {
  const findings = await found((passing, asked, again) =>
    passing.status === status ? deviate(passing, asked, again) : null,
  );
  expect(failed(findings)).toContain('every failure that was seen is JSON in the failure envelope');
  expect(JSON.stringify(findings)).not.toContain('key=');
});

const page = { contentType: 'text/html', body: '<h1>No</h1>' };

/** Lets this many through per key, whatever the service behind it says. */
function limitedTo(limit: number): Deviation {
  const counts = new Map<string, number>();
  return (passing, { key }) => {
    if (key === null || ![200, 304, 400, 429].includes(passing.status)) return;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    const body = '{"success":false,"error":"Too many."}';
    if (count > limit) Object.assign(passing, { status: 429, contentType: 'application/json', body });
    else if (passing.status === 429) Object.assign(passing, { status: 200, body: '{"success":true,"data":{}}' });
  };
}

const tooEarly = 'no request is answered with 429 before there were 120 in a minute';
const tooLate = 'no more than 120 requests in a minute are let through';
const never = 'more than 120 requests in a minute with one key are answered with 429';

test.each([
  [60, tooEarly],
  [100, tooEarly],
  [121, tooLate],
  [200, tooLate],
  [1_000, never],
])('a rate limit of %d fails', async (limit, line) => {
  expect(failed(await found(limitedTo(limit), { skipRateLimit: false }))).toContain(line);
});

test('without a bot key a limit that is too high fails after a second look, a window and a half later', async () => {
  const real = await furnished();
  const { clock } = real;
  let counts = limitedTo(200);
  const slept: number[] = [];
  const sleep = async (ms: number) => {
    slept.push(ms);
    clock.leap(ms);
    counts = limitedTo(200);
  };
  const deviate: Deviation = (...all) => counts(...all);
  const options = { skipRateLimit: false, serverKeyOnly: true, clock: { ...clock, sleep } };
  expect(failed(await found(deviate, options, real))).toEqual([tooLate]);
  expect(slept).toEqual([90 * second]);
});

test('a fixed window that ends while the key is being spent is no failure', async () => {
  let [server, asked] = [limitedTo(120), 0];
  const others = limitedTo(120);
  const deviate: Deviation = (passing, about, again) => {
    if (about.key?.startsWith('server_')) {
      asked += 1;
      // The window ends here, and the next one has its own 120.
      if (asked === 100) server = limitedTo(120);
      return server(passing, about, again);
    }
    return others(passing, about, again);
  };
  const findings = await found(deviate, { skipRateLimit: false });
  expect(failed(findings)).toEqual([]);
  expect(findings.map(({ outcome }) => outcome)).toEqual(['differs']);
});

test('dates without milliseconds are no failure', async () => {
  const bare = (date: unknown) => String(date).replace('.000Z', 'Z');
  const withoutMilliseconds: Deviation = (...all) => {
    changing(/\/votes\/3/, (body) => {
      const data = fields(body);
      Object.assign(data, { lastVoteDate: bare(data['lastVoteDate']), nextVoteDate: bare(data['nextVoteDate']) });
    })(...all);
    changing(/\/reviews$/, (body) => {
      for (const review of items(body)) review['createdAt'] = bare(review['createdAt']);
    })(...all);
  };
  const findings = await found(withoutMilliseconds);
  expect(failed(findings)).toEqual([]);
  expect(findings.map(({ line }) => line)).toContain('a user who has voted: dates with milliseconds');
});
