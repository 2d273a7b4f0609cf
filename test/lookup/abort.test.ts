import { getEventListeners } from 'node:events';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import type { Lookup } from '../../src/lookup/lookup.ts';
import { delayed, success } from '../support/fake-service.ts';
import { lookupErrorOf, lookupFixture } from './lookup-fixture.ts';

const vote = { canVote: true, hasVoted: false };
const userId = '80351110224678912';

let fixture: Awaited<ReturnType<typeof lookupFixture>>;
/** The requests whose connection the client has closed. */
let cancelled: string[];
let release: () => void;

beforeEach(async () => {
  fixture = await lookupFixture();
  cancelled = [];
  const later = delayed((response, { url = '' }) => {
    const data = url.includes('votes') ? vote : url.includes('reviews') ? [] : { name: 'Cats' };
    success(data, { total: 0, shown: 0 })(response, {} as never);
  });
  release = later.release;
  fixture.service.respondWith((response, request) => {
    response.on('close', () => response.writableEnded || cancelled.push(request.url ?? ''));
    later.delayedHandler(response, request);
  });
  onTestFinished(() => fixture.service.close());
});

const lookups: readonly [name: string, look: (lookup: Lookup, signal?: AbortSignal) => Promise<unknown>][] = [
  ['profile', (lookup, signal) => lookup.profile({ signal })],
  ['voteStatus', (lookup, signal) => lookup.voteStatus(userId, { signal })],
  ['voteStatus, fresh', (lookup, signal) => lookup.voteStatus(userId, { fresh: true, signal })],
  ['reviews', (lookup, signal) => lookup.reviews({ limit: 5, signal })],
];

it.each(lookups)('%s rejects at once, as fetch does, and cancels a request that nobody waits for', async (_, look) => {
  const { lookup, service, events, logged } = fixture;
  const first = new AbortController();
  const aborted = expect(look(lookup, first.signal)).rejects.toMatchObject({ name: 'AbortError' });
  await service.received(1);
  first.abort();
  await aborted;
  await expect.poll(() => cancelled.length).toBe(1);
  expect(events).not.toContain('failed');
  expect(logged).toEqual([]);
  // The next lookup sends a request of its own at once.
  const next = look(lookup);
  await service.received(2);
  release();
  await expect(next).resolves.toMatchObject({ stale: false });
  await expect(look(lookup, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
  expect(service.requests).toHaveLength(2);
});

it.each(lookups)('%s leaves a request to the lookups that still wait for it', async (_, look) => {
  const { lookup, service } = fixture;
  const [first, second] = [new AbortController(), new AbortController()];
  const reason = new Error('the member left');
  const results = [look(lookup, first.signal), look(lookup, second.signal), look(lookup)];
  await service.received(1);
  first.abort(reason);
  await expect(results[0]).rejects.toBe(reason);
  second.abort(reason);
  await expect(results[1]).rejects.toBe(reason);
  release();
  await expect(results[2]).resolves.toMatchObject({ stale: false });
  expect([cancelled, service.requests.length]).toEqual([[], 1]);
});

it('leaves no listener at its signal', async () => {
  const { lookup, service } = fixture;
  const { signal } = new AbortController();
  const result = lookup.profile({ signal });
  await service.received(1);
  expect(getEventListeners(signal, 'abort')).toHaveLength(2);
  release();
  await expect(result).resolves.toMatchObject({ value: { name: 'Cats' } });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('what is not a signal is rejected', async () => {
  const signal = new EventTarget() as AbortSignal;
  expect(await lookupErrorOf(fixture.lookup.profile({ signal }))).toMatchObject({ code: 'lookup_bad_parameter' });
});
