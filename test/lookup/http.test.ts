import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LookupError, type LookupErrorCode } from '../../src/lookup/failures.ts';
import { createHttp, type LookupRequest } from '../../src/lookup/http.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { minute, second } from '../../src/platform/durations.ts';
import { manualClock } from '../support/manual-clock.ts';
import { type Answering, failure, json, pretendService, success } from './pretend-service.ts';

const key = 'key-that-nobody-may-see';
const profile: LookupRequest = { path: 'server', badRequestMeans: 'wrong key type' };
const votes: LookupRequest = { path: 'votes/1', badRequestMeans: 'bad parameter' };
const reviews: LookupRequest = { path: 'reviews', badRequestMeans: 'either' };

let service: Awaited<ReturnType<typeof pretendService>>;
beforeEach(async () => {
  service = await pretendService();
});
afterEach(() => service.close());

function get(question: LookupRequest = profile, baseUrl = service.baseUrl) {
  return createHttp({ baseUrl, key, clock: systemClock }).get(question, systemClock.monotonic() + 5 * second);
}

async function failureOf(asking: Promise<unknown>): Promise<LookupError> {
  const thrown = await asking.then(
    () => new Error('it succeeded'),
    (error: unknown) => error,
  );
  if (!(thrown instanceof LookupError)) throw thrown;
  expect(inspect(thrown, { depth: 20, showHidden: true })).not.toContain(key);
  return thrown;
}

describe('a request', () => {
  it('carries the key in its header and nowhere else', async () => {
    service.answer(success([]));
    await get({ path: 'reviews', query: { limit: 50, sort: 'newest' }, badRequestMeans: 'wrong key type' });
    expect(service.asked).toHaveLength(1);
    expect(service.asked[0]?.url).toBe('/api/v1/reviews?limit=50&sort=newest');
    const { 'x-api-key': sent, ...others } = service.asked[0]?.headers ?? {};
    expect(sent).toBe(key);
    expect(JSON.stringify(others)).not.toContain(key);
  });

  it('goes to the same address when the base address ends in a slash', async () => {
    service.answer(success({}));
    await get(profile, `${service.baseUrl}/`);
    expect(service.asked[0]?.url).toBe('/api/v1/server');
  });

  it('gives the data and the meta of the envelope', async () => {
    service.answer(success([1], { total: 2 }));
    expect(await get()).toEqual({ data: [1], meta: { total: 2 } });
  });

  it.each(['', 'two words', 'line\nbreak', 'schlüssel'])(
    'is not even prepared with the key %j, and says so without it',
    (bad) => {
      const create = () => createHttp({ baseUrl: service.baseUrl, key: bad, clock: systemClock });
      expect(create).toThrow('The API key is empty or holds characters that no header can carry.');
    },
  );
});

describe('a failure', () => {
  const raw =
    (status: number, body: string | Buffer): Answering =>
    (response) =>
      response.writeHead(status).end(body);

  it.each<[string, LookupRequest, Answering, LookupErrorCode]>([
    ['400 on a profile', profile, failure(400, 'bot key'), 'lookup_wrong_key_type'],
    ['400 on a user', votes, failure(400, 'not numeric'), 'lookup_bad_parameter'],
    ['400 on a profile that names no cause', profile, failure(400, 'no'), 'lookup_wrong_key_type'],
    ['400 on a profile for a parameter', profile, failure(400, 'Unknown query parameter'), 'lookup_bad_parameter'],
    ['400 on a user that names no cause', votes, failure(400, 'no'), 'lookup_bad_parameter'],
    ['400 on a user for the key', votes, failure(400, 'Server API keys only'), 'lookup_wrong_key_type'],
    ['400 on reviews for the key', reviews, failure(400, 'Needs the API key of a server.'), 'lookup_wrong_key_type'],
    ['400 on reviews for servers only', reviews, failure(400, 'Servers only'), 'lookup_wrong_key_type'],
    ['400 on reviews for the limit', reviews, failure(400, 'The limit must be 1 to 25.'), 'lookup_bad_parameter'],
    ['400 on reviews for the sort', reviews, failure(400, 'Invalid sort'), 'lookup_bad_parameter'],
    ['400 on reviews that names no cause', reviews, failure(400, 'Bad Request'), 'lookup_bad_request'],
    ['400 on reviews that names both', reviews, failure(400, 'key or limit is wrong'), 'lookup_bad_request'],
    ['400 with another object', reviews, json(400, { message: 'Invalid sort' }), 'lookup_bad_parameter'],
    ['400 with nothing', profile, raw(400, ''), 'lookup_wrong_key_type'],
    ['400 with a page', profile, raw(400, '<h1>Plain HTTP sent to HTTPS port</h1>'), 'lookup_unexpected_status'],
    ['401', votes, failure(401, 'no'), 'lookup_key_refused'],
    ['404', votes, failure(404, 'no'), 'lookup_not_found'],
    ['429', votes, failure(429, 'slow down'), 'lookup_rate_limited'],
    ['500', votes, failure(500, 'oh'), 'lookup_service_error'],
    ['503 with a page', votes, raw(503, '<h1>down</h1>'), 'lookup_service_error'],
    ['200 that says it failed', votes, failure(200, 'oh'), 'lookup_service_error'],
    ['403', votes, failure(403, 'no'), 'lookup_unexpected_status'],
    [
      'a redirect',
      votes,
      (response) => response.writeHead(302, { Location: '/api/v1/bot' }).end(),
      'lookup_unexpected_status',
    ],
    ['a page', votes, raw(200, '<h1>Hello</h1>'), 'lookup_not_json'],
    ['nothing', votes, raw(200, ''), 'lookup_not_json'],
    ['no envelope', votes, json(200, { canVote: true }), 'lookup_wrong_shape'],
    ['success without data', votes, json(200, { success: true }), 'lookup_wrong_shape'],
    ['data without success', votes, json(200, { data: {} }), 'lookup_wrong_shape'],
    ['JSON that is no object', votes, json(200, null), 'lookup_wrong_shape'],
    ['a huge body', votes, raw(200, Buffer.alloc(2 * 1024 * 1024, ' ')), 'lookup_wrong_shape'],
    ['a broken connection', votes, (response) => response.destroy(), 'lookup_unreachable'],
    [
      'half a body',
      votes,
      (response) => {
        response.writeHead(200, { 'Content-Length': '100' }).write('{"succ', () => response.destroy());
      },
      'lookup_unreachable',
    ],
  ])('%s', async (_, question, answering, code) => {
    service.answer(answering);
    const failed = await failureOf(get(question));
    expect(failed.code).toBe(code);
    expect(failed.hint).not.toBe('');
    expect(service.asked).toHaveLength(1);
  });

  it('of the connection names the reason', async () => {
    await service.close();
    const failed = await failureOf(get());
    expect(failed.code).toBe('lookup_unreachable');
    expect(failed.message).toContain('ECONNREFUSED');
    service = await pretendService();
  });

  it('comes when the answer is not there whole by the deadline', async () => {
    const clock = manualClock();
    service.answer((response) => response.writeHead(200).write('{"success":'));
    const asking = createHttp({ baseUrl: service.baseUrl, key, clock }).get(profile, clock.monotonic() + 5 * second);
    const failed = failureOf(asking);
    await service.arrived(1);
    await clock.advance(5 * second);
    expect((await failed).code).toBe('lookup_timeout');
  });

  it('comes without a request when the deadline is over before it', async () => {
    const clock = manualClock();
    const asking = createHttp({ baseUrl: service.baseUrl, key, clock }).get(profile, clock.monotonic());
    expect((await failureOf(asking)).code).toBe('lookup_timeout');
    expect(service.asked).toHaveLength(0);
  });

  it('quotes the service on one line, cut short, without the key', async () => {
    service.answer(failure(401, `the key ${key}\nis unknown ${'x'.repeat(500)}`));
    const { message } = await failureOf(get());
    expect(message).toMatch(/^GET \/server: the service answered 401: "the key \[key\] is unknown x+…"$/);
    expect(message.length).toBeLessThan(260);
  });
});

describe('the error text of the service', () => {
  it.each([400, 401, 500])('is part of the message of a %i', async (status) => {
    service.answer(failure(status, 'The sort must be one of newest, highest, lowest.'));
    expect((await failureOf(get(reviews))).message).toBe(
      `GET /reviews: the service answered ${status}: "The sort must be one of newest, highest, lowest."`,
    );
  });

  it('is escaped: it can neither end the quotation nor start a line nor turn the direction of the text', async () => {
    service.answer(failure(400, 'a" \u202e\u200bb\\ \u001b[31m\r\n{"level":60}\u2028c'));
    const { message } = await failureOf(get());
    expect(message).toBe(String.raw`GET /server: the service answered 400: "a\" b\\ [31m {\"level\":60} c"`);
  });

  it.each([
    ['as it is', (secret: string) => secret],
    ['percent-encoded', encodeURIComponent],
    ['escaped for JSON', (secret: string) => JSON.stringify(secret)],
    ['in Base64', (secret: string) => Buffer.from(`key=${secret}`).toString('base64')],
    ['in hex', (secret: string) => Buffer.from(secret).toString('hex')],
  ])('never shows the key %s', async (_, spell) => {
    const secret = 'srv/"secret"+key=42&more';
    service.answer(failure(400, `GET /server?key=${spell(secret)} is wrong`));
    const http = createHttp({ baseUrl: service.baseUrl, key: secret, clock: systemClock });
    const thrown = await http.get(profile, systemClock.monotonic() + 5 * second).catch((error: unknown) => error);
    expect(inspect(thrown)).not.toContain(JSON.stringify(spell(secret)).slice(8, -8));
    expect(inspect(thrown)).toMatch(/\[(?:key|secret)\]/);
  });
});

describe('a pause that the service asks for', () => {
  const clock = manualClock();
  const retryAt = async (status: number, header?: string) => {
    service.answer(failure(status, 'no', header === undefined ? {} : { 'Retry-After': header }));
    const asking = createHttp({ baseUrl: service.baseUrl, key, clock }).get(votes, clock.monotonic() + 5 * second);
    return ((await failureOf(asking)).retryAt ?? Number.NaN) - clock.now();
  };

  it('may be named in seconds or as a date', async () => {
    expect(await retryAt(429, '7')).toBe(7 * second);
    expect(await retryAt(429, new Date(clock.now() + 9 * second).toUTCString())).toBe(9 * second);
    expect(await retryAt(503, '30')).toBe(30 * second);
  });

  it('lasts a minute when a rate limit names none, or none that can be read', async () => {
    expect(await retryAt(429)).toBe(minute);
    expect(await retryAt(429, 'soon')).toBe(minute);
  });

  it('is never believed beyond an hour', async () => {
    expect(await retryAt(429, '99999999999')).toBe(60 * minute);
  });
});
