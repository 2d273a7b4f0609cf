import { expect, it } from 'vitest';
import { second } from '../src/durations.ts';
import { parseRetryAfter } from '../src/retry-after.ts';

const now = Date.UTC(2026, 10, 21, 12);

it.each([
  ['7', now + 7 * second],
  [' 0 ', now],
  ['0.0001', now + 1],
  ['Sat, 21 Nov 2026 12:00:09 GMT', now + 9 * second],
  ['Saturday, 21-Nov-26 12:00:09 GMT', now + 9 * second],
  ['Sat, 21 Nov 2026 11:00:00 GMT', now - 3_600 * second],
  ['soon', null],
  ['', null],
])('reads a Retry-After of %j in seconds or as a date', (header, time) => {
  expect(parseRetryAfter(header, now)).toBe(time);
});
