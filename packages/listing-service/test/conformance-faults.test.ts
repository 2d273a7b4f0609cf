import type { Clock } from '@tallyhook/platform/clock';
import { hour, second } from '@tallyhook/platform/durations';
import { sample } from '@tallyhook/platform/testing/sample';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serviceCommand } from '../src/cli/service-command.ts';
import { leapingClock, withoutWaiting } from '../testing/leaping-clock.ts';
import { captive } from '../testing/terminal.ts';
import {
  type ForeignReply,
  type ForeignRules,
  foreignKeys,
  foreignVoter,
  startForeignService,
} from './foreign-service.ts';

type Fault = Partial<ForeignRules>;
type Json = Record<string, unknown>;

/** Changes the data and the meta of successful replies whose path begins so. */
function changing(prefix: string, change: (data: Json, body: { meta?: Json }) => unknown): Fault {
  return {
    change({ status, body }, path) {
      if (status !== 200 || !path.startsWith(prefix) || typeof body === 'string') return;
      const { data } = body;
      for (const part of Array.isArray(data) ? data : [data]) change(part as Json, body);
    },
  };
}

function replacing(
  isReplaced: (status: number, path: string, method: string) => boolean,
  by: Partial<ForeignReply>,
): Fault {
  return {
    change(reply, path, { method = '' }) {
      if (isReplaced(reply.status, path, method)) Object.assign(reply, by);
    },
  };
}

const without = (prefix: string, name: string) => changing(prefix, (data) => delete data[name]);
const withoutStat = (prefix: string, name: string) =>
  changing(prefix, (data) => {
    const { [name]: _removed, ...others } = data['stats'] as Json;
    data['stats'] = others;
  });
const voteDates = (format: (date: string) => unknown) =>
  changing('/votes', (data) => {
    for (const name of ['lastVoteDate', 'nextVoteDate'])
      if (typeof data[name] === 'string') data[name] = format(data[name]);
  });
const reviewDates = (format: (date: string) => unknown) =>
  changing('/reviews', (data) => {
    data['createdAt'] = format(String(data['createdAt']));
  });
/** The same moment, in a zone two hours east. */
const inCairo = (date: string) => new Date(Date.parse(date) + 2 * hour).toISOString().replace(/Z$/, '+02:00');
const reversedSort = (sort: string): Fault => ({
  change({ status, body }, path, { url = '' }) {
    const asked = new URL(url, 'http://localhost').searchParams.get('sort') ?? 'newest';
    if (status === 200 && path === '/reviews' && asked === sort && typeof body === 'object' && Array.isArray(body.data))
      body.data.reverse();
  },
});
const fields = 'returns the success envelope with every documented field';
const envelope = 'every failure in this run is JSON in the failure envelope';
const meta = 'GET /reviews has the total and the number shown in its meta';

/** The faults of the report on conformance, by the line that fails. */
const faults: readonly (readonly [name: string, line: string, fault: Fault])[] = [
  [
    'the number shown is the total',
    meta,
    changing('/reviews', (_, body) => Object.assign(body.meta ?? {}, { shown: body.meta?.['total'] })),
  ],
  [
    'the total is the number shown',
    meta,
    changing('/reviews', (_, body) => Object.assign(body.meta ?? {}, { total: body.meta?.['shown'] })),
  ],
  ['reviews have no meta', 'GET /reviews has a meta', changing('/reviews', (_, body) => delete body.meta)],
  [
    'the meta has other names',
    meta,
    changing('/reviews', (_, body) => Object.assign(body, { meta: { count: 60, returned: 10 } })),
  ],
  [
    'the server profile has a meta',
    'GET /server has no meta',
    changing('/server', (_, body) => Object.assign(body, { meta: {} })),
  ],
  ['the cap of 50 is ignored', 'GET /reviews never returns more than 50', { maxReviews: 1_000 }],
  ['the cap is 49', 'GET /reviews returns up to limit=50', { maxReviews: 49 }],
  ['a 404 has another JSON body', envelope, replacing((status) => status === 404, { body: '{"message":"Not found"}' })],
  ['a 404 is HTML', envelope, replacing((status) => status === 404, { type: 'text/html', body: '<h1>404</h1>' })],
  ['all failures are text/plain', envelope, replacing((status) => status >= 400, { type: 'text/plain' })],
  ['roleCount is missing', `GET /server with a server key ${fields}`, without('/server', 'roleCount')],
  ['stats.online is missing', `GET /server with a server key ${fields}`, withoutStat('/server', 'online')],
  ['stats.shards is missing', `GET /bot with a bot key ${fields}`, withoutStat('/bot', 'shards')],
  ['comment is missing', `GET /reviews with a server key ${fields}`, without('/reviews', 'comment')],
  [
    'id is a number',
    `GET /server with a server key ${fields}`,
    changing('/server', (data) => Object.assign(data, { id: 871 })),
  ],
  [
    'votes is a text',
    `GET /server with a server key ${fields}`,
    changing('/server', (data) => Object.assign(data, { votes: '4211' })),
  ],
  [
    'the date of a review is not ISO 8601',
    `GET /reviews with a server key ${fields}`,
    reviewDates((date) => date.replace('T', ' ').replace('Z', '')),
  ],
  ['the date of a review is a number', `GET /reviews with a server key ${fields}`, reviewDates(Date.parse)],
  [
    'the date of a review has no zone',
    `GET /reviews with a server key ${fields}`,
    reviewDates((date) => date.replace('Z', '')),
  ],
  ['the date of a review is in another zone', `GET /reviews with a server key ${fields}`, reviewDates(inCairo)],
  [
    'POST is successful',
    'GET /server is read-only: POST is not successful',
    replacing((_, path, method) => path === '/server' && method === 'POST', {
      status: 200,
      body: { success: true, data: {} },
    }),
  ],
  [
    'canVote is inverted',
    'a user who has never voted: canVote is true',
    changing('/votes', (data) => Object.assign(data, { canVote: !data['canVote'] })),
  ],
  ['newest is oldest', 'GET /reviews sorts by newest', reversedSort('newest')],
  ['highest is lowest', 'GET /reviews sorts by highest', reversedSort('highest')],
  ['lowest is highest', 'GET /reviews sorts by lowest', reversedSort('lowest')],
  [
    'the wrong key is 403',
    'GET /server rejects a bot key with 400',
    replacing((status, path) => status === 400 && path === '/server', { status: 403 }),
  ],
  [
    'a userId that is not numeric is 404',
    'GET /votes/{userId} rejects a userId that is not numeric with 400',
    replacing((status, path) => status === 400 && path.startsWith('/votes'), { status: 404 }),
  ],
];

/** What nobody can see who does not know a member who has voted: the document leaves open what others get. */
const faultsOfVoters: typeof faults = [
  [
    'secondsUntilVote is missing',
    'a user who has voted: secondsUntilVote is the time until nextVoteDate',
    without('/votes', 'secondsUntilVote'),
  ],
  [
    'secondsUntilVote is always 5',
    'a user who has voted: secondsUntilVote is the time until nextVoteDate',
    changing('/votes', (data) => Object.assign(data, { secondsUntilVote: 5 })),
  ],
  [
    'the cooldown is a day',
    'a user who has voted: the dates are 12 hours apart, and canVote agrees with the seconds',
    { cooldownMs: 24 * hour },
  ],
  [
    'vote dates have no milliseconds',
    'a user who has voted: the dates have milliseconds',
    voteDates((date) => date.replace(/\.\d+/, '')),
  ],
  ['vote dates are in another zone', 'a user who has voted: the dates have milliseconds', voteDates(inCairo)],
  ['vote dates are numbers', 'a user who has voted: the dates have milliseconds', voteDates(Date.parse)],
];

const faultsOfTheLimit: typeof faults = [
  [
    'there is no limit',
    'more than 120 requests in a minute with one key return 429',
    { maxPerMinute: () => Number.POSITIVE_INFINITY },
  ],
  ['the limit is 121', 'no more than 120 requests in a minute are accepted', { maxPerMinute: () => 121 }],
  ['the limit is 119', 'the first 120 requests in a minute do not return 429', { maxPerMinute: () => 119 }],
  ['the limit is 100', 'the first 120 requests in a minute do not return 429', { maxPerMinute: () => 100 }],
];

/** Runs the command, with its exit code and the lines of the checks that did not hold, by their outcome. */
async function runCommand(fault: Fault, options: readonly string[], clock: Clock = withoutWaiting(leapingClock())) {
  const baseUrl = await startForeignService(clock, fault);
  const { terminal, output } = captive();
  const keys = ['--server-key', foreignKeys.server, '--bot-key', foreignKeys.bot];
  const args = ['--base-url', baseUrl, ...keys, '--json', ...options];
  const exitCode = await serviceCommand(['conformance', ...args], terminal, clock);
  for (const key of Object.values(foreignKeys)) expect(output()).not.toContain(key);
  const results = output()
    .split('\n')
    .map((line) => JSON.parse(line) as { outcome: string; line: string; saw?: string });
  const linesOf = (outcome: string) => results.filter((result) => result.outcome === outcome).map(({ line }) => line);
  return { exitCode, fails: linesOf('fails'), skipped: linesOf('skipped'), differs: linesOf('differs'), results };
}

const withVoter = ['--voted-user', foreignVoter];
const quick = ['--skip-rate-limit'];

test('a faultless service of somebody else passes, and nothing is said of what the document does not ask for', async () => {
  expect(await runCommand({}, withVoter)).toMatchObject({ exitCode: 0, fails: [], skipped: [], differs: [] });
  const { exitCode, fails, differs } = await runCommand({}, [...withVoter, ...quick, '--choices']);
  expect({ exitCode, fails }).toEqual({ exitCode: 0, fails: [] });
  expect(differs).toContain('GET /server returns 304 for its own ETag');
});

test('a service passes that is far away', async () => {
  const clock = leapingClock();
  const ticking = setInterval(() => void clock.advance(100), 1);
  onTestFinished(() => clearInterval(ticking));
  let latencyMs = 300;
  const latency = () => {
    latencyMs = 300 + ((latencyMs * 7_919) % 1_100);
    return clock.sleep(latencyMs);
  };
  expect(await runCommand({ latency }, withVoter, clock)).toMatchObject({ exitCode: 0, fails: [], skipped: [] });
});

test('a service passes right after an earlier run, which has used up the keys', async () => {
  const clock = withoutWaiting(leapingClock());
  const isUsedUp = clock.monotonic() + 30 * second;
  const maxPerMinute = () => (clock.monotonic() < isUsedUp ? 0 : 120);
  expect(await runCommand({ maxPerMinute }, withVoter, clock)).toMatchObject({ exitCode: 0, fails: [], skipped: [] });
});

describe.each([
  ['without a member who has voted', quick],
  ['with a member who has voted', [...quick, ...withVoter]],
])('%s', (_, options) => {
  test.each([...sample(faults)])('a service fails if %s', async (_name, line, fault) => {
    const { exitCode, fails, differs } = await runCommand(fault, options);
    expect(fails).toContain(line);
    expect({ exitCode, differs }).toEqual({ exitCode: 1, differs: [] });
  });
});

test.each(faultsOfVoters)(
  'a service fails if %s, for which a member who has voted is needed',
  async (_, line, fault) => {
    const unknown = await runCommand(fault, quick);
    expect(unknown).toMatchObject({ exitCode: 0, fails: [] });
    expect(unknown.results).toContainEqual(expect.objectContaining({ line, saw: 'no --voted-user was provided' }));
    const { exitCode, fails } = await runCommand(fault, [...quick, ...withVoter]);
    expect(exitCode).toBe(1);
    expect(fails).toContain(line);
  },
);

test.each(faultsOfTheLimit)('a service fails if %s', async (_, line, fault) => {
  expect(await runCommand(fault, [])).toMatchObject({ exitCode: 1, fails: [line] });
});
