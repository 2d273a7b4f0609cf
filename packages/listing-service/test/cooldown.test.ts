import { hour } from '@tallyhook/platform/durations';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endOfPeriod } from '../src/actions/orders.ts';
import { voteCooldownMs, voteCooldownOf } from '../src/listing/cooldown.ts';
import { monthNumber } from '../src/storage/votes.ts';
import { mira, running, serverId } from '../testing/running.ts';

const moment = fc.integer({ min: 0, max: 4_000_000_000_000 });

test('the properties of a cooldown are consistent', () => {
  fc.assert(
    fc.property(moment, fc.integer({ min: 0, max: 3 * voteCooldownMs }), (lastVoteAt, passed) => {
      const { canVote, nextVoteAt, secondsUntilVote } = voteCooldownOf(lastVoteAt, lastVoteAt + passed);
      expect(nextVoteAt).toBe(lastVoteAt + voteCooldownMs);
      expect(canVote).toBe(passed >= voteCooldownMs);
      expect(secondsUntilVote === 0).toBe(canVote);
      expect(secondsUntilVote * 1_000).toBeGreaterThanOrEqual(voteCooldownMs - passed);
      expect(secondsUntilVote * 1_000).toBeLessThan(Math.max(0, voteCooldownMs - passed) + 1_000);
    }),
  );
});

test('recorded votes are at least the cooldown apart, and a rejected vote returns the time of the next', async () => {
  const { service, clock } = await running({ seed: false });
  await service.createListing({ kind: 'server', discordId: serverId, name: 'Here' });
  let user = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 9 * hour }), { maxLength: 12 }), async (waits) => {
      user += 1;
      let lastVoteAt: number | null = null;
      for (const wait of waits) {
        clock.leap(wait);
        const outcome = await service.castVote({ kind: 'server', userId: `${user}`, username: 'u' });
        const isOpen: boolean = lastVoteAt === null || clock.now() - lastVoteAt >= voteCooldownMs;
        expect(outcome.recorded).toBe(isOpen);
        if (isOpen) lastVoteAt = clock.now();
        expect(outcome.nextVoteAt).toBe((lastVoteAt ?? 0) + voteCooldownMs);
      }
    }),
    { numRuns: 15 },
  );
});

test('a vote is rejected in the last millisecond of the cooldown and recorded in the next', async () => {
  const { service, clock } = await running();
  const { nextVoteAt } = await service.castVote({ kind: 'server', ...mira });
  clock.leap(12 * hour - 1);
  expect(await service.castVote({ kind: 'server', ...mira })).toEqual({
    recorded: false,
    nextVoteAt,
    deliveryId: null,
  });
  clock.leap(1);
  expect(await service.castVote({ kind: 'server', ...mira })).toMatchObject({ recorded: true });
});

test('of twenty concurrent votes one is recorded', async () => {
  const { service } = await running();
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => service.castVote({ kind: 'server', ...mira })));
  expect(outcomes.filter(({ recorded }) => recorded)).toHaveLength(1);
});

test('monthly votes count from the start of the calendar month in UTC', () => {
  expect(monthNumber(Date.parse('2026-03-31T23:59:59.999Z'))).toBe(202603);
});

test('a paid month ends on the same day of the next month, or on its last day', () => {
  const end = (from: string) => new Date(endOfPeriod('monthly', Date.parse(from)) ?? 0).toISOString();
  expect(end('2026-01-15T08:00:00.000Z')).toBe('2026-02-15T08:00:00.000Z');
  expect(end('2026-01-31T08:00:00.000Z')).toBe('2026-02-28T08:00:00.000Z');
  expect(end('2026-12-31T08:00:00.000Z')).toBe('2027-01-31T08:00:00.000Z');
  expect(endOfPeriod('lifetime', 0)).toBeNull();
});
