import { describe, expect, it } from 'vitest';
import { minute, second } from '../../src/clock.ts';
import { createRests } from '../../src/outbox/rests.ts';

const start = Date.UTC(2026, 0, 1);

describe('a rest', () => {
  it('lasts as long as it was said to', () => {
    const rests = createRests();
    rests.begin('1', start + 5 * second);
    rests.begin('2', start + minute);
    expect(rests.at(start).channels).toEqual(['1', '2']);
    expect(rests.nextEnd()).toBe(start + 5 * second);
    expect(rests.at(start + 5 * second).channels).toEqual(['2']);
    expect(rests.at(start + minute).channels).toEqual([]);
    expect(rests.nextEnd()).toBe(null);
  });

  it('spares looking through its backlog again, until something may have become due within it', () => {
    const rests = createRests();
    rests.begin('1', start + minute);
    rests.nothingElse(start);
    expect(rests.at(start + second).lookedUntil).toBe(start - 5 * second);
    rests.lookAgain();
    expect(rests.at(start + second).lookedUntil).toBe(0);
    rests.nothingElse(start);
    expect(rests.at(start + minute).lookedUntil).toBe(0);
  });
});
