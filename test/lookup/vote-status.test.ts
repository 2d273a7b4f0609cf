import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { hour, minute, second } from '../../src/platform/durations.ts';
import { asking, failureOf } from './asking.ts';
import { failure, success } from './pretend-service.ts';

const user = '123456789012345678';
const iso = (at: number) => new Date(at).toISOString();

let at: Awaited<ReturnType<typeof asking>>;
/** What the ledger knows. */
let votedAt: number | null;
const lastVote = vi.fn(async () => votedAt);
beforeEach(async () => {
  votedAt = null;
  lastVote.mockClear();
  at = await asking({ lastVote });
});
afterEach(() => at.service.close());

function cooldownUntil(end: number) {
  return success({ canVote: false, nextVoteDate: iso(end), lastVoteDate: iso(end - 12 * hour), secondsUntilVote: 1 });
}

it('is refused for what is no user id, without asking', async () => {
  for (const odd of ['', 'ann', '1/../server', '1?limit=2', '123456789012345678901']) {
    expect((await failureOf(at.lookup.voteStatus(odd))).code).toBe('lookup_bad_parameter');
  }
  expect(at.service.asked).toHaveLength(0);
});

describe('a running cooldown', () => {
  it('is a fact until the moment it ends', async () => {
    const { lookup, clock, service } = at;
    const end = clock.now() + 3 * hour;
    service.answer(cooldownUntil(end));
    const status = { canVote: false, lastVoteAt: end - 12 * hour, nextVoteAt: end };
    expect((await lookup.voteStatus(user)).value).toEqual({ ...status, secondsUntilVote: 3 * 60 * 60 });
    await clock.advance(3 * hour - 1);
    expect(await lookup.voteStatus(user)).toMatchObject({ value: { ...status, secondsUntilVote: 1 }, stale: false });
    expect(service.asked.map(({ url }) => url)).toEqual([`/api/v1/votes/${user}`]);
    await clock.advance(1);
    service.answer(success({ canVote: true }));
    expect((await lookup.voteStatus(user)).value.canVote).toBe(true);
  });

  it('that has ended is no reason not to vote, even when the service is down', async () => {
    const { lookup, clock, service } = at;
    const said = clock.now();
    service.answer(cooldownUntil(said + hour));
    await lookup.voteStatus(user);
    service.answer(failure(500, 'oh'));
    await clock.advance(hour);
    const value = { canVote: true, lastVoteAt: said - 11 * hour, nextVoteAt: null, secondsUntilVote: 0 };
    expect(await lookup.voteStatus(user)).toEqual({ value, asOf: said, stale: true });
  });

  it('without any date holds half a minute, and is over after twelve hours', async () => {
    const { lookup, clock, service } = at;
    service.answer(success({ canVote: false }));
    await lookup.voteStatus(user);
    await clock.advance(30 * second - 1);
    await lookup.voteStatus(user);
    expect(service.asked).toHaveLength(1);
    service.answer(failure(500, 'oh'));
    await clock.advance(hour);
    expect(await lookup.voteStatus(user)).toMatchObject({
      value: { canVote: false, nextVoteAt: null, secondsUntilVote: null },
      stale: true,
    });
    await clock.advance(11 * hour);
    expect(await lookup.voteStatus(user)).toMatchObject({ value: { canVote: true, secondsUntilVote: 0 }, stale: true });
  });

  it('whose end is absurd is asked for again after a day', async () => {
    const { lookup, clock, service } = at;
    service.answer(cooldownUntil(clock.now() + 10_000 * hour));
    await lookup.voteStatus(user);
    await clock.advance(24 * hour);
    await lookup.voteStatus(user);
    expect(service.asked).toHaveLength(2);
  });

  it('that the service could not be asked about is asked about again as soon as it may be', async () => {
    const { lookup, clock, service } = at;
    service.answer(cooldownUntil(clock.now() + 10_000 * hour));
    await lookup.voteStatus(user);
    service.answer(failure(500, 'oh'));
    await clock.advance(24 * hour);
    expect(await lookup.voteStatus(user)).toMatchObject({ value: { canVote: false }, stale: true });
    service.answer(success({ canVote: true }));
    await clock.advance(5 * second);
    expect((await lookup.voteStatus(user)).value.canVote).toBe(true);
  });
});

describe('the seconds until the next vote', () => {
  it('count down while the answer is cached, also in another process and while the service is down', async () => {
    const { lookup, again, clock, service } = at;
    service.answer(cooldownUntil(clock.now() + hour));
    const secondsLeft = async (asked = lookup) => (await asked.voteStatus(user)).value.secondsUntilVote;
    expect(await secondsLeft()).toBe(3_600);
    await clock.advance(10 * second);
    expect(await secondsLeft()).toBe(3_590);
    await clock.advance(1);
    expect(await secondsLeft()).toBe(3_590);
    await clock.advance(999);
    expect(await secondsLeft()).toBe(3_589);
    service.answer(failure(500, 'oh'));
    await clock.advance(29 * minute);
    expect(await secondsLeft(again())).toBe(3_589 - 29 * 60);
    expect(service.asked).toHaveLength(1);
  });

  it('follow from what the service said in seconds alone', async () => {
    const { lookup, clock, service } = at;
    service.answer(success({ canVote: false, secondsUntilVote: 100 }));
    expect((await lookup.voteStatus(user)).value.secondsUntilVote).toBe(100);
    await clock.advance(40 * second);
    expect((await lookup.voteStatus(user)).value.secondsUntilVote).toBe(60);
  });
});

it('"may vote" holds half a minute', async () => {
  const { lookup, clock, service } = at;
  service.answer(success({ canVote: true, nextVoteDate: null, lastVoteDate: null, secondsUntilVote: 0 }));
  await lookup.voteStatus(user);
  await clock.advance(30 * second - 1);
  await lookup.voteStatus(user);
  expect(service.asked).toHaveLength(1);
  await clock.advance(1);
  await lookup.voteStatus(user);
  expect(service.asked).toHaveLength(2);
});

describe('a vote that the ledger knows', () => {
  it('changes the state at once, and nobody is asked until its cooldown ends', async () => {
    const { lookup, clock, service, seen } = at;
    service.answer(success({ canVote: true }));
    expect((await lookup.voteStatus(user)).value.canVote).toBe(true);
    votedAt = clock.now();
    const value = { canVote: false, lastVoteAt: votedAt, nextVoteAt: votedAt + 12 * hour };
    const first = { ...value, secondsUntilVote: 12 * 60 * 60 };
    expect(await lookup.voteStatus(user)).toEqual({ value: first, asOf: clock.now(), stale: false });
    await clock.advance(12 * hour - 1);
    expect((await lookup.voteStatus(user)).value).toEqual({ ...value, secondsUntilVote: 1 });
    expect(service.asked).toHaveLength(1);
    expect(seen.slice(2)).toEqual(['fact', 'fact']);
    await clock.advance(1);
    expect((await lookup.voteStatus(user)).value).toEqual({
      canVote: true,
      lastVoteAt: votedAt,
      nextVoteAt: null,
      secondsUntilVote: 0,
    });
    expect(service.asked).toHaveLength(2);
  });

  it('is read once, until another one may come in: five minutes before its cooldown ends', async () => {
    const { lookup, clock } = at;
    votedAt = clock.now();
    const first = await lookup.voteStatus(user);
    await clock.advance(12 * hour - 5 * minute - 1);
    const value = { ...first.value, secondsUntilVote: 5 * 60 + 1 };
    expect(await lookup.voteStatus(user)).toEqual({ ...first, value, asOf: clock.now() });
    expect(lastVote).toHaveBeenCalledTimes(1);
    await clock.advance(1);
    votedAt = clock.now();
    expect((await lookup.voteStatus(user)).value.nextVoteAt).toBe(votedAt + 12 * hour);
  });

  it('changes the state within half a minute, should the service have let somebody vote while a cooldown ran', async () => {
    const { lookup, clock, service } = at;
    service.answer(cooldownUntil(clock.now() + 3 * hour));
    const first = await lookup.voteStatus(user);
    votedAt = clock.now() + second;
    await clock.advance(30 * second - 1);
    const value = { ...first.value, secondsUntilVote: 3 * 60 * 60 - 29 };
    expect(await lookup.voteStatus(user)).toEqual({ ...first, value });
    expect(lastVote).toHaveBeenCalledTimes(1);
    await clock.advance(1);
    expect((await lookup.voteStatus(user)).value.nextVoteAt).toBe(votedAt + 12 * hour);
  });

  it('changes the state at once in the last minutes of a cooldown that the service told of', async () => {
    const { lookup, clock, service } = at;
    service.answer(cooldownUntil(clock.now() + 5 * minute));
    await lookup.voteStatus(user);
    votedAt = clock.now();
    expect((await lookup.voteStatus(user)).value.nextVoteAt).toBe(votedAt + 12 * hour);
  });

  it('and that is over gives way to a vote that only the service knows', async () => {
    const { lookup, clock, service } = at;
    votedAt = clock.now() - 13 * hour;
    const end = clock.now() + 11 * hour;
    service.answer(cooldownUntil(end));
    expect((await lookup.voteStatus(user)).value).toEqual({
      canVote: false,
      lastVoteAt: end - 12 * hour,
      nextVoteAt: end,
      secondsUntilVote: 11 * 60 * 60,
    });
  });

  it('and that is over still says something when the service does not', async () => {
    const { lookup, clock, service } = at;
    votedAt = clock.now() - 13 * hour;
    service.answer(failure(500, 'oh'));
    const value = { canVote: true, lastVoteAt: votedAt, nextVoteAt: null, secondsUntilVote: 0 };
    expect(await lookup.voteStatus(user)).toEqual({ value, asOf: votedAt, stale: true });
  });

  it('is never outdone by what the service said before it', async () => {
    const { lookup, clock, service } = at;
    service.answer(cooldownUntil(clock.now() + 100 * hour));
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

  it('is not believed when it lies ahead, where the clock was set back: the service is asked', async () => {
    const { lookup, clock, service } = at;
    votedAt = clock.now();
    expect((await lookup.voteStatus(user)).value.canVote).toBe(false);
    clock.set(-hour);
    service.answer(success({ canVote: true }));
    expect((await lookup.voteStatus(user)).value.canVote).toBe(true);
  });

  it('changes the state within half a minute also where the clock is set back meanwhile', async () => {
    const { lookup, clock, service } = at;
    service.answer(cooldownUntil(clock.now() + 6 * hour));
    await lookup.voteStatus(user);
    clock.set(-hour);
    votedAt = clock.now();
    await clock.advance(30 * second);
    expect((await lookup.voteStatus(user)).value.lastVoteAt).toBe(votedAt);
  });

  it('is done without when the ledger cannot be read', async () => {
    const broken = await asking({ lastVote: () => Promise.reject(new Error('locked')) });
    broken.service.answer(success({ canVote: true }));
    expect((await broken.lookup.voteStatus(user)).value.canVote).toBe(true);
    expect(broken.told).toEqual([expect.objectContaining({ code: 'ledger_unread' })]);
    await broken.service.close();
  });
});
