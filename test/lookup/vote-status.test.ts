import { setImmediate as cacheWrite } from 'node:timers/promises';
import { hour, minute, second } from '@tallyhook/platform/durations';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failure, success } from '../support/fake-service.ts';
import { lookupErrorOf, lookupFixture } from './lookup-fixture.ts';

const user = '123456789012345678';
const iso = (time: number) => new Date(time).toISOString();

let fixture: Awaited<ReturnType<typeof lookupFixture>>;
/** The last vote in the ledger. */
let votedAt: number | null;
const lastVote = async () => votedAt;
beforeEach(async () => {
  votedAt = null;
  fixture = await lookupFixture({ lastVote });
});
afterEach(() => fixture.service.close());

function cooldownUntil(end: number) {
  return success({ canVote: false, nextVoteDate: iso(end), lastVoteDate: iso(end - 12 * hour), secondsUntilVote: 1 });
}

it('of an invalid user id is rejected without a request', async () => {
  for (const invalidId of ['', 'ann', '1/../server', '1?limit=2', '123456789012345678901']) {
    expect((await lookupErrorOf(fixture.lookup.voteStatus(invalidId))).code).toBe('lookup_bad_parameter');
  }
  expect(fixture.service.requests).toHaveLength(0);
});

describe('a fresh status', () => {
  it('is that of the service, whatever the cache and the ledger say', async () => {
    const { lookup, clock, service } = fixture;
    service.respondWith(success({ canVote: true }));
    await lookup.voteStatus(user);
    await clock.advance(second);
    votedAt = clock.now() - hour;
    const end = clock.now() + 3 * hour;
    service.respondWith(cooldownUntil(end));
    expect(await lookup.voteStatus(user, { fresh: true })).toMatchObject({
      value: { canVote: false, lastVoteAt: end - 12 * hour, nextVoteAt: end },
      stale: false,
    });
    expect(service.requests).toHaveLength(2);
  });

  it('is requested once in five seconds, and again after an error', async () => {
    const { lookup, clock, service } = fixture;
    const fresh = () => lookup.voteStatus(user, { fresh: true });
    service.respondWith(success({ canVote: true }));
    await Promise.all([fresh(), fresh()]);
    await clock.advance(5 * second - 1);
    await fresh();
    expect(service.requests).toHaveLength(1);
    await clock.advance(1);
    service.respondWith(failure(500, 'oh'));
    expect((await lookupErrorOf(fresh())).code).toBe('lookup_service_error');
    await clock.advance(5 * second);
    service.respondWith(success({ canVote: false }));
    expect((await fresh()).value.canVote).toBe(false);
    expect(service.requests).toHaveLength(3);
  });
});

describe('the last known status', () => {
  it('is that of the cache, without a request, also when it has expired', async () => {
    const { lookup, clock, service, restart } = fixture;
    expect(await lookup.cached.voteStatus(user)).toBe(null);
    const end = clock.now() + 3 * hour;
    service.respondWith(cooldownUntil(end));
    await lookup.voteStatus(user);
    await cacheWrite();
    expect(await restart().cached.voteStatus(user)).toEqual({
      ...{ canVote: false, lastVoteAt: end - 12 * hour, nextVoteAt: end },
    });
    await clock.advance(3 * hour);
    expect(await lookup.cached.voteStatus(user)).toMatchObject({ canVote: true, nextVoteAt: null });
    expect(service.requests).toHaveLength(1);
  });
});

describe('a running cooldown', () => {
  it('is cached until it ends', async () => {
    const { lookup, clock, service } = fixture;
    const end = clock.now() + 3 * hour;
    service.respondWith(cooldownUntil(end));
    const status = { canVote: false, lastVoteAt: end - 12 * hour, nextVoteAt: end };
    expect((await lookup.voteStatus(user)).value).toEqual({ ...status, secondsUntilVote: 3 * 60 * 60 });
    await clock.advance(3 * hour - 1);
    expect(await lookup.voteStatus(user)).toMatchObject({ value: { ...status, secondsUntilVote: 1 }, stale: false });
    expect(service.requests.map(({ url }) => url)).toEqual([`/api/v1/votes/${user}`]);
    await clock.advance(1);
    service.respondWith(success({ canVote: true }));
    expect((await lookup.voteStatus(user)).value.canVote).toBe(true);
  });

  it('allows voting when it has ended, even if the service is down', async () => {
    const { lookup, clock, service } = fixture;
    const requestedAt = clock.now();
    service.respondWith(cooldownUntil(requestedAt + hour));
    await lookup.voteStatus(user);
    service.respondWith(failure(500, 'oh'));
    await clock.advance(hour);
    const value = { canVote: true, lastVoteAt: requestedAt - 11 * hour, nextVoteAt: null, secondsUntilVote: 0 };
    expect(await lookup.voteStatus(user)).toEqual({ value, asOf: requestedAt, stale: true });
  });

  it('without a date is cached for 30 s and ends after twelve hours', async () => {
    const { lookup, clock, service } = fixture;
    service.respondWith(success({ canVote: false }));
    await lookup.voteStatus(user);
    await clock.advance(30 * second - 1);
    await lookup.voteStatus(user);
    expect(service.requests).toHaveLength(1);
    service.respondWith(failure(500, 'oh'));
    await clock.advance(hour);
    expect(await lookup.voteStatus(user)).toMatchObject({
      value: { canVote: false, nextVoteAt: null, secondsUntilVote: null },
      stale: true,
    });
    await clock.advance(11 * hour);
    expect(await lookup.voteStatus(user)).toMatchObject({ value: { canVote: true, secondsUntilVote: 0 }, stale: true });
  });

  it('with an implausible end is requested again after a day, and after a failure as soon as possible', async () => {
    const { lookup, clock, service } = fixture;
    service.respondWith(cooldownUntil(clock.now() + 10_000 * hour));
    await lookup.voteStatus(user);
    service.respondWith(failure(500, 'oh'));
    await clock.advance(24 * hour);
    expect(await lookup.voteStatus(user)).toMatchObject({ value: { canVote: false }, stale: true });
    service.respondWith(success({ canVote: true }));
    await clock.advance(5 * second);
    expect((await lookup.voteStatus(user)).value.canVote).toBe(true);
    expect(service.requests).toHaveLength(3);
  });
});

describe('the seconds until the next vote', () => {
  it('count down while the status is cached, also in another process and while the service is down', async () => {
    const { lookup, restart, clock, service } = fixture;
    service.respondWith(cooldownUntil(clock.now() + hour));
    const secondsLeft = async (client = lookup) => (await client.voteStatus(user)).value.secondsUntilVote;
    expect(await secondsLeft()).toBe(3_600);
    await clock.advance(10 * second);
    expect(await secondsLeft()).toBe(3_590);
    await clock.advance(1);
    expect(await secondsLeft()).toBe(3_590);
    await clock.advance(999);
    expect(await secondsLeft()).toBe(3_589);
    service.respondWith(failure(500, 'oh'));
    await clock.advance(29 * minute);
    expect(await secondsLeft(restart())).toBe(3_589 - 29 * 60);
    expect(service.requests).toHaveLength(1);
  });

  it('are calculated from the seconds of the service alone', async () => {
    const { lookup, clock, service } = fixture;
    service.respondWith(success({ canVote: false, secondsUntilVote: 100 }));
    expect((await lookup.voteStatus(user)).value.secondsUntilVote).toBe(100);
    await clock.advance(40 * second);
    expect((await lookup.voteStatus(user)).value.secondsUntilVote).toBe(60);
  });
});

it('"may vote" is cached for 30 s', async () => {
  const { lookup, clock, service } = fixture;
  service.respondWith(success({ canVote: true, nextVoteDate: null, lastVoteDate: null, secondsUntilVote: 0 }));
  await lookup.voteStatus(user);
  await clock.advance(30 * second - 1);
  await lookup.voteStatus(user);
  expect(service.requests).toHaveLength(1);
  await clock.advance(1);
  await lookup.voteStatus(user);
  expect(service.requests).toHaveLength(2);
});

describe('a vote in the ledger', () => {
  it('changes the status at once, and no request is sent until its cooldown ends', async () => {
    const { lookup, clock, service, events } = fixture;
    service.respondWith(success({ canVote: true }));
    expect((await lookup.voteStatus(user)).value.canVote).toBe(true);
    votedAt = clock.now();
    const value = { canVote: false, lastVoteAt: votedAt, nextVoteAt: votedAt + 12 * hour };
    const first = { ...value, secondsUntilVote: 12 * 60 * 60 };
    expect(await lookup.voteStatus(user)).toEqual({ value: first, asOf: clock.now(), stale: false });
    await clock.advance(12 * hour - 1);
    expect((await lookup.voteStatus(user)).value).toEqual({ ...value, secondsUntilVote: 1 });
    expect(service.requests).toHaveLength(1);
    expect(events.slice(2)).toEqual(['fact', 'fact']);
    await clock.advance(1);
    expect((await lookup.voteStatus(user)).value).toEqual({
      canVote: true,
      lastVoteAt: votedAt,
      nextVoteAt: null,
      secondsUntilVote: 0,
    });
    expect(service.requests).toHaveLength(2);
  });

  it('changes the status at once if the service accepted a vote during a cooldown', async () => {
    const { lookup, clock, service } = fixture;
    service.respondWith(cooldownUntil(clock.now() + 3 * hour));
    await lookup.voteStatus(user);
    votedAt = clock.now() + second;
    expect((await lookup.voteStatus(user)).value.nextVoteAt).toBe(votedAt + 12 * hour);
  });

  it('is superseded, after its cooldown, by a vote that only the service knows', async () => {
    const { lookup, clock, service } = fixture;
    votedAt = clock.now() - 13 * hour;
    const end = clock.now() + 11 * hour;
    service.respondWith(cooldownUntil(end));
    expect((await lookup.voteStatus(user)).value).toEqual({
      canVote: false,
      lastVoteAt: end - 12 * hour,
      nextVoteAt: end,
      secondsUntilVote: 11 * 60 * 60,
    });
  });

  it('is used after its cooldown when the service fails', async () => {
    const { lookup, clock, service } = fixture;
    votedAt = clock.now() - 13 * hour;
    service.respondWith(failure(500, 'oh'));
    const value = { canVote: true, lastVoteAt: votedAt, nextVoteAt: null, secondsUntilVote: 0 };
    expect(await lookup.voteStatus(user)).toEqual({ value, asOf: votedAt, stale: true });
  });

  it('supersedes an earlier response of the service', async () => {
    const { lookup, clock, service } = fixture;
    service.respondWith(cooldownUntil(clock.now() + 100 * hour));
    await lookup.voteStatus(user);
    votedAt = clock.now() + minute;
    await clock.advance(12 * hour + minute);
    expect((await lookup.voteStatus(user)).value).toEqual({
      canVote: true,
      lastVoteAt: votedAt,
      nextVoteAt: null,
      secondsUntilVote: 0,
    });
  });

  it('is ignored when it is in the future because the clock was set back: a request is sent', async () => {
    const { lookup, clock, service } = fixture;
    votedAt = clock.now();
    expect((await lookup.voteStatus(user)).value.canVote).toBe(false);
    clock.shiftWallClock(-hour);
    service.respondWith(success({ canVote: true }));
    expect((await lookup.voteStatus(user)).value.canVote).toBe(true);
  });

  it('changes the status if the clock is set back in the meantime', async () => {
    const { lookup, clock, service } = fixture;
    service.respondWith(cooldownUntil(clock.now() + 6 * hour));
    await lookup.voteStatus(user);
    clock.shiftWallClock(-hour);
    votedAt = clock.now();
    expect((await lookup.voteStatus(user)).value.lastVoteAt).toBe(votedAt);
  });

  it('is not needed when the ledger cannot be read', async () => {
    const broken = await lookupFixture({ lastVote: () => Promise.reject(new Error('locked')) });
    broken.service.respondWith(success({ canVote: true }));
    expect((await broken.lookup.voteStatus(user)).value.canVote).toBe(true);
    expect(broken.logged).toEqual([expect.objectContaining({ code: 'ledger_unread' })]);
    await broken.service.close();
  });
});
