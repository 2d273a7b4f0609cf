import { type ServerResponse } from 'node:http';
import { day, hour, second } from '@tallyhook/platform/durations';
import { serve } from '@tallyhook/platform/testing/serve';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { classifySendError } from '../../src/discord/discord-errors.ts';
import { createDiscordRest } from '../../src/discord/rest.ts';

/** The classified result of an attempt if Discord, or a proxy in front of it, responds like this. */
async function attemptAgainst(
  answer: (response: ServerResponse) => void,
  effects = 1,
  { onRequest = () => {}, timeoutMs = 10 * second } = {},
) {
  const url = await serve((request, response) => {
    request.resume();
    onRequest();
    answer(response);
  });
  const rest = createDiscordRest({ token: 'secret-token', apiUrl: `${url}/api`, timeoutMs });
  try {
    await rest.post('/channels/1/messages', {});
    return 'no failure';
  } catch (error) {
    return classifySendError(error, { channelId: '1', effects });
  }
}

const json =
  (status: number, body: object, headers: object = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
const page = (status: number) => (response: ServerResponse) =>
  response.writeHead(status, { 'Content-Type': 'text/html' }).end('<h1>error</h1>');

describe('an attempt to send a message', () => {
  const broken = (response: ServerResponse) => response.destroy();
  const halfJson = (response: ServerResponse) =>
    response.writeHead(400, { 'Content-Type': 'application/json' }).end('{');

  it.each<[string, (response: ServerResponse) => void, isSure?: boolean]>([
    ['a page of Cloudflare', page(403), true],
    ['a page of a proxy', page(404)],
    ['a block by Cloudflare', json(403, { message: 'internal network error', code: 40333 })],
    ['an unknown route: the base address is wrong', json(404, { message: '404: Not Found', code: 0 })],
    ['a refused token', json(401, { message: '401: Unauthorized', code: 0 }), true],
    ['invalid JSON', halfJson],
    ['a connection that breaks', broken, false],
  ])('is retried later, with all other effects, after %s', async (_, answer, isSure) => {
    const attempt = await attemptAgainst(answer);
    expect(attempt).toMatchObject({ outcome: 'later', scope: 'global' });
    // Whether the message may have been sent.
    if (isSure !== undefined) expect(Object.hasOwn(Object(attempt), 'notSent')).toBe(isSure);
  });

  it.each([
    ['a failure of Discord', page(500)],
    ['a gateway timeout', page(504)],
  ])('is retried later, perhaps only with the effects of its community, after %s', async (_, answer) => {
    const attempt = await attemptAgainst(answer);
    expect(attempt).toMatchObject({ outcome: 'later', scope: 'community' });
    expect(attempt).not.toHaveProperty('notSent');
  });

  it('knows that nothing was sent if no connection was established', async () => {
    const rest = createDiscordRest({ token: 'secret-token', apiUrl: 'http://127.0.0.1:9/api' });
    const error = await rest.post('/channels/1/messages', {}).catch((thrown: unknown) => thrown);
    expect(classifySendError(error, { channelId: '1', effects: 1 })).toMatchObject({
      scope: 'global',
      notSent: true,
    });
  });

  it('delays all other effects if the rate limit is global, for as long as Discord says', async () => {
    const limits = { 'Retry-After': '65', 'X-RateLimit-Global': 'true', 'X-RateLimit-Scope': 'global' };
    const attempt = await attemptAgainst(
      json(429, { message: 'You are being rate limited.', retry_after: 65, global: true }, limits),
    );
    expect(attempt).toMatchObject({ outcome: 'later', scope: 'global' });
    expect((attempt as { retryAfterMs: number }).retryAfterMs).toBeGreaterThan(50 * second);
  });

  it.each<[string, object]>([
    ['missing', {}],
    ['a date', { 'Retry-After': 'Wed, 21 Oct 2026 07:28:00 GMT' }],
    ['0', { 'Retry-After': '0' }],
    ['negative', { 'Retry-After': '-5' }],
    ['infinite', { 'Retry-After': '1e999' }],
    ['for a bucket that never resets', { 'Retry-After': '1', 'X-RateLimit-Reset-After': 'Infinity' }],
  ])('waits a few seconds after one request if Retry-After is %s', async (_, headers) => {
    let requests = 0;
    const onRequest = () => {
      requests += 1;
    };
    const attempt = await attemptAgainst(json(429, {}, headers), 1, { onRequest });
    expect(attempt).toMatchObject({ outcome: 'later', notSent: true, retryAfterMs: 5 * second });
    expect(requests).toBe(1);
  });

  it('does not wait longer than a rate limit if the clock was set back', async () => {
    const limited = { 'X-RateLimit-Limit': '1', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset-After': '0.3' };
    const url = await serve((request, response) => {
      request.resume();
      json(200, {}, { ...limited, 'X-RateLimit-Bucket': 'messages' })(response);
    });
    const rest = createDiscordRest({ token: 'secret-token', apiUrl: `${url}/api` });
    // The first response names the bucket, the second says that it is exhausted.
    await rest.post('/channels/1/messages', {});
    await rest.post('/channels/1/messages', {});
    // discord.js uses Date.now, and so does our clock.
    const { now } = Date;
    onTestFinished(() => void vi.restoreAllMocks());
    vi.spyOn(Date, 'now').mockImplementation(() => now() - hour);
    await rest.post('/channels/1/messages', {});
  });

  it('waits at most one day, whatever Retry-After is', async () => {
    expect(await attemptAgainst(json(429, {}, { 'Retry-After': '1e300' }))).toMatchObject({ retryAfterMs: day });
  });

  it.each([
    [403, 50_001, 'Missing Access'],
    [403, 50_013, 'Missing Permissions'],
    [403, 60_003, 'Two factor is required for this operation'],
    [403, undefined, 'something that Discord has not documented'],
    [404, 10_004, 'Unknown Guild'],
    [400, 50_008, 'Cannot send messages in a non-text channel'],
    [400, 50_024, 'Cannot execute action on this channel type'],
    [400, 50_083, 'Thread is archived'],
    [400, 160_002, 'Cannot reply without permission to read message history'],
    [400, 160_005, 'This thread is locked'],
  ])('waits in the queue of the channel while Discord rejects it: %d, %s', async (status, code, message) => {
    for (const effects of [1, 10]) {
      expect(await attemptAgainst(json(status, { message, code }), effects)).toMatchObject({
        ...{ outcome: 'later', scope: 'effects', notSent: true, reason: expect.stringContaining('channel 1') },
        stop: { target: '1', maxAgeMs: day },
      });
    }
  });

  it.each([
    [403, 50_007, 'Cannot send messages to this user'],
    [404, 10_003, 'Unknown Channel'],
    [404, 10_008, 'Unknown Message'],
  ])('fails permanently if nobody can mend what Discord rejects: %d, %d', async (status, code, message) => {
    expect(await attemptAgainst(json(status, { message, code }), 10)).toMatchObject({
      outcome: 'bury',
      reason: expect.stringContaining('channel 1'),
    });
  });

  it('fails permanently if Discord rejects the message, or is split if it contains several effects', async () => {
    const refuse = json(400, {
      message: 'Invalid Form Body',
      code: 50035,
      errors: { embeds: { _errors: [{ code: 'X', message: 'Y'.repeat(999) }] } },
    });
    expect(await attemptAgainst(refuse, 2)).toMatchObject({ outcome: 'split' });
    const alone = await attemptAgainst(refuse, 1);
    expect(alone).toMatchObject({ outcome: 'bury' });
    expect((alone as { reason: string }).reason.length).toBeLessThanOrEqual(300);
  });

  it.each([
    ['does not respond', () => {}],
    ['starts a response and never ends it', (response: ServerResponse) => void response.writeHead(200).write('{')],
    ['sends short rate limits without end', json(429, {}, { 'Retry-After': '1' })],
  ])('ends after its timeout if Discord %s', async (_, answer) => {
    expect(await attemptAgainst(answer, 1, { timeoutMs: 200 })).toMatchObject({ outcome: 'later' });
  });
});
