import { inspect } from 'node:util';
import { systemClock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import type { LookupErrorCode } from '@tallyhook/platform/error-codes';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHttp, type LookupRequest } from '../../src/lookup/http.ts';
import type { LookupError } from '../../src/lookup/lookup-error.ts';
import { failure, json, type ResponseHandler, startFakeService, success } from '../support/fake-service.ts';
import { lookupErrorOf } from './lookup-fixture.ts';

const key = 'the-secret-key';
const profile: LookupRequest = { path: 'server', badRequestCause: 'wrong key type' };
const votes: LookupRequest = { path: 'votes/1', badRequestCause: 'bad parameter' };
const reviews: LookupRequest = { path: 'reviews', badRequestCause: 'either' };

let service: Awaited<ReturnType<typeof startFakeService>>;
beforeEach(async () => {
  service = await startFakeService();
});
afterEach(() => service.close());

function get(request: LookupRequest = profile, baseUrl = service.baseUrl) {
  return createHttp({ baseUrl, key, clock: systemClock }).get(request, systemClock.monotonic() + 5 * second);
}

async function errorOf(lookup: Promise<unknown>): Promise<LookupError> {
  const thrown = await lookupErrorOf(lookup);
  expect(inspect(thrown, { depth: 20, showHidden: true })).not.toContain(key);
  return thrown;
}

describe('a request', () => {
  it('contains the key only in its header', async () => {
    service.respondWith(success([]));
    await get({ path: 'reviews', query: { limit: 50, sort: 'newest' }, badRequestCause: 'wrong key type' });
    expect(service.requests).toHaveLength(1);
    expect(service.requests[0]?.url).toBe('/api/v1/reviews?limit=50&sort=newest');
    const { 'x-api-key': sent, ...others } = service.requests[0]?.headers ?? {};
    expect(sent).toBe(key);
    expect(JSON.stringify(others)).not.toContain(key);
  });

  it('has the same URL when the base URL ends in a slash', async () => {
    service.respondWith(success({}));
    await get(profile, `${service.baseUrl}/`);
    expect(service.requests[0]?.url).toBe('/api/v1/server');
  });
});

describe('an error', () => {
  const raw =
    (status: number, body: string | Buffer): ResponseHandler =>
    (response) =>
      response.writeHead(status).end(body);

  const incomplete: ResponseHandler = (response) =>
    void response.writeHead(200, { 'Content-Length': '100' }).write('{"succ', () => response.destroy());

  it.each<[string, LookupRequest, ResponseHandler, LookupErrorCode]>([
    ['400 on a profile', profile, failure(400, 'bot key'), 'lookup_wrong_key_type'],
    ['400 on a user', votes, failure(400, 'not numeric'), 'lookup_bad_parameter'],
    ['400 on a profile without a cause', profile, failure(400, 'no'), 'lookup_wrong_key_type'],
    ['400 on a profile for a parameter', profile, failure(400, 'Unknown query parameter'), 'lookup_bad_parameter'],
    ['400 on a user without a cause', votes, failure(400, 'no'), 'lookup_bad_parameter'],
    ['400 on a user for the key', votes, failure(400, 'Server API keys only'), 'lookup_wrong_key_type'],
    ['400 on reviews for the key', reviews, failure(400, 'Needs the API key of a server.'), 'lookup_wrong_key_type'],
    ['400 on reviews for servers only', reviews, failure(400, 'Servers only'), 'lookup_wrong_key_type'],
    ['400 on reviews for the limit', reviews, failure(400, 'The limit must be 1 to 25.'), 'lookup_bad_parameter'],
    ['400 on reviews for the sort', reviews, failure(400, 'Invalid sort'), 'lookup_bad_parameter'],
    ['400 on reviews without a cause', reviews, failure(400, 'Bad Request'), 'lookup_bad_request'],
    ['400 on reviews with both causes', reviews, failure(400, 'key or limit is wrong'), 'lookup_bad_request'],
    ['400 with another object', reviews, json(400, { message: 'Invalid sort' }), 'lookup_bad_parameter'],
    ['400 with an empty body', profile, raw(400, ''), 'lookup_wrong_key_type'],
    ['400 with an HTML page', profile, raw(400, '<h1>Plain HTTP sent to HTTPS port</h1>'), 'lookup_unexpected_status'],
    ['401', votes, failure(401, 'no'), 'lookup_key_refused'],
    ['404', votes, failure(404, 'no'), 'lookup_not_found'],
    ['429', votes, failure(429, 'slow down'), 'lookup_rate_limited'],
    ['500', votes, failure(500, 'oh'), 'lookup_service_error'],
    ['503 with an HTML page', votes, raw(503, '<h1>down</h1>'), 'lookup_service_error'],
    ['200 with a failure envelope', votes, failure(200, 'oh'), 'lookup_service_error'],
    ['403', votes, failure(403, 'no'), 'lookup_unexpected_status'],
    ['a redirect', votes, json(302, {}, { Location: '/api/v1/bot' }), 'lookup_unexpected_status'],
    ['an HTML page', votes, raw(200, '<h1>Hello</h1>'), 'lookup_not_json'],
    ['an empty body', votes, raw(200, ''), 'lookup_not_json'],
    ['no envelope', votes, json(200, { canVote: true }), 'lookup_wrong_shape'],
    ['success without data', votes, json(200, { success: true }), 'lookup_wrong_shape'],
    ['data without success', votes, json(200, { data: {} }), 'lookup_wrong_shape'],
    ['JSON that is not an object', votes, json(200, null), 'lookup_wrong_shape'],
    ['a huge body', votes, raw(200, Buffer.alloc(2 * 1024 * 1024, ' ')), 'lookup_wrong_shape'],
    ['an interrupted connection', votes, (response) => response.destroy(), 'lookup_unreachable'],
    ['an incomplete body', votes, incomplete, 'lookup_unreachable'],
  ])('%s', async (_, request, handler, code) => {
    service.respondWith(handler);
    const error = await errorOf(get(request));
    expect(error.code).toBe(code);
    expect(error.hint).not.toBe('');
    expect(service.requests).toHaveLength(1);
  });

  it('of the connection contains the cause', async () => {
    await service.close();
    const error = await errorOf(get());
    expect(error.code).toBe('lookup_unreachable');
    expect(error.message).toContain('ECONNREFUSED');
    service = await startFakeService();
  });

  it('is thrown when the response is incomplete at the deadline', async () => {
    const clock = manualClock();
    service.respondWith((response) => response.writeHead(200).write('{"success":'));
    const response = createHttp({ baseUrl: service.baseUrl, key, clock }).get(profile, clock.monotonic() + 5 * second);
    const error = errorOf(response);
    await service.received(1);
    await clock.advance(5 * second);
    expect((await error).code).toBe('lookup_timeout');
  });

  it('is thrown without a request after the deadline', async () => {
    const clock = manualClock();
    const response = createHttp({ baseUrl: service.baseUrl, key, clock }).get(profile, clock.monotonic());
    expect((await errorOf(response)).code).toBe('lookup_timeout');
    expect(service.requests).toHaveLength(0);
  });

  it('quotes the service on one line, truncated, without the key', async () => {
    service.respondWith(failure(401, `the key ${key}\nis unknown ${'x'.repeat(500)}`));
    const { message } = await errorOf(get());
    expect(message).toMatch(/^GET \/server: the service responded with 401: "the key \[key\] is unknown x+…"$/);
    expect(message.length).toBeLessThan(260);
  });
});

describe('the error text of the service', () => {
  it('is escaped: it cannot end the quotation, start a line or change the text direction', async () => {
    service.respondWith(failure(400, 'a" \u202e\u200bb\\ \u001b[31m\r\n{"level":60}\u2028c'));
    const { message } = await errorOf(get());
    expect(message).toBe(String.raw`GET /server: the service responded with 400: "a\" b\\ [31m {\"level\":60} c"`);
  });

  it.each([
    ['unchanged', (secret: string) => secret],
    ['percent-encoded', encodeURIComponent],
    ['escaped for JSON', (secret: string) => JSON.stringify(secret)],
    ['in Base64', (secret: string) => Buffer.from(`key=${secret}`).toString('base64')],
    ['in hex', (secret: string) => Buffer.from(secret).toString('hex')],
  ])('is shown without the key %s', async (_, spell) => {
    const secret = 'srv/"secret"+key=42&more';
    service.respondWith(failure(400, `GET /server?key=${spell(secret)} is wrong`));
    const http = createHttp({ baseUrl: service.baseUrl, key: secret, clock: systemClock });
    const thrown = await http.get(profile, systemClock.monotonic() + 5 * second).catch((error: unknown) => error);
    expect(inspect(thrown)).not.toContain(JSON.stringify(spell(secret)).slice(8, -8));
    expect(inspect(thrown)).toMatch(/\[(?:key|secret)\]/);
  });
});

describe('Retry-After', () => {
  const clock = manualClock();
  const retryAt = async (status: number, header?: string) => {
    service.respondWith(failure(status, 'no', header === undefined ? {} : { 'Retry-After': header }));
    const response = createHttp({ baseUrl: service.baseUrl, key, clock }).get(votes, clock.monotonic() + 5 * second);
    return ((await errorOf(response)).retryAt ?? Number.NaN) - clock.now();
  };

  it('is read in seconds or as a date', async () => {
    expect(await retryAt(429, '7')).toBe(7 * second);
    expect(await retryAt(429, new Date(clock.now() + 9 * second).toUTCString())).toBe(9 * second);
    expect(await retryAt(503, '30')).toBe(30 * second);
  });

  it('defaults to a minute when it is missing or invalid', async () => {
    expect(await retryAt(429)).toBe(minute);
    expect(await retryAt(429, 'soon')).toBe(minute);
  });

  it('is limited to an hour', async () => {
    expect(await retryAt(429, '99999999999')).toBe(60 * minute);
  });
});
