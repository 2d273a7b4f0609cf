import { describe, expect, it } from 'vitest';
import { hour, minute, second } from '../../src/clock.ts';
import { createRests } from '../../src/outbox/rests.ts';
import { manualClock } from '../support/manual-clock.ts';

const start = Date.UTC(2026, 0, 1);

describe('a rest', () => {
  it('lasts as long as it was said to, however the clock is set', async () => {
    const clock = manualClock(start);
    const rests = createRests(clock);
    rests.begin('1', 5 * second);
    rests.begin('2', minute);
    clock.set(-hour);
    expect(rests.at(clock.now()).channels).toEqual(['1', '2']);
    expect(rests.nextEnd()).toBe(5 * second);
    await clock.advance(5 * second);
    expect(rests.at(clock.now()).channels).toEqual(['2']);
    clock.set(2 * hour);
    expect(rests.at(clock.now()).channels).toEqual(['2']);
    await clock.advance(minute - 5 * second);
    expect(rests.at(clock.now()).channels).toEqual([]);
    expect(rests.nextEnd()).toBe(null);
  });

  it('spares looking through its backlog again, until something may have become due within it', async () => {
    const clock = manualClock(start);
    const rests = createRests(clock);
    rests.begin('1', minute);
    rests.nothingElse(start);
    expect(rests.at(start + second).lookedUntil).toBe(start - 5 * second);
    rests.lookAgain();
    expect(rests.at(start + second).lookedUntil).toBe(0);
    rests.nothingElse(start);
    expect(rests.at(start - hour).lookedUntil).toBe(0);
    rests.nothingElse(start);
    await clock.advance(minute);
    expect(rests.at(start + minute).lookedUntil).toBe(0);
  });
});
