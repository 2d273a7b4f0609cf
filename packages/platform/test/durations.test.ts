import { describe, expect, it } from 'vitest';
import {
  day,
  formatAgo,
  formatCount,
  formatDuration,
  formatElapsed,
  formatWait,
  hour,
  minute,
  pluralize,
  second,
} from '../src/durations.ts';

describe('formatted durations', () => {
  it.each([
    [0, '0 seconds'],
    [second, '1 second'],
    [59 * second, '59 seconds'],
    [minute, '1 minute'],
    [3 * hour + 59 * minute, '3 hours'],
    [day, '1 day'],
    [40 * day, '40 days'],
    [-5, '0 seconds'],
  ])('formats %i ms in the largest unit', (ms, text) => expect(formatDuration(ms)).toBe(text));

  it.each([
    [1, '1 minute'],
    [0, '0 minutes'],
    [59 * minute + 1, '1 hour'],
    [11 * hour + 58 * minute + 30 * second, '11 hours 59 minutes'],
    [hour + minute, '1 hour 1 minute'],
    [2 * hour + 2 * minute, '2 hours 2 minutes'],
    [2 * hour, '2 hours'],
  ])('rounds a wait of %i ms up', (ms, text) => expect(formatWait(ms)).toBe(text));

  it.each([
    [30 * second, 'just now'],
    [-hour, 'just now'],
    [90 * second, '1 minute ago'],
    [5 * hour, '5 hours ago'],
    [3 * day, '3 days ago'],
  ])('formats %i ms ago', (ms, text) => expect(formatAgo(1_000_000_000_000 - ms, 1_000_000_000_000)).toBe(text));

  it('says how long ago in other languages', () => {
    const now = 1_000_000_000_000;
    expect([formatAgo(now, now, 'de'), formatAgo(now - 5 * hour, now, 'de')]).toEqual(['jetzt', 'vor 5 Stunden']);
  });

  it('shows elapsed times short', () => {
    expect(formatElapsed(3.6)).toBe('4 ms');
    expect(formatElapsed(1_249)).toBe('1.2 s');
  });
});

describe('counts', () => {
  it('agree with their nouns and have grouped digits', () => {
    expect(formatCount(1, 'vote')).toBe('1 vote');
    expect(formatCount(0, 'vote')).toBe('0 votes');
    expect(formatCount(-1, 'credit')).toBe('-1 credit');
    expect(formatCount(2, 'vote')).toBe('2 votes');
    expect(formatCount(1.5, 'vote')).toBe('1.5 votes');
    expect(formatCount(1, 'delivery', 'deliveries')).toBe('1 delivery');
    expect(formatCount(12_000, 'delivery', 'deliveries')).toBe('12,000 deliveries');
    expect(pluralize(1, 'it', 'them')).toBe('it');
    expect(pluralize(2, 'it', 'them')).toBe('them');
  });
});
