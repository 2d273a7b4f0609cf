import { expect, test } from 'vitest';
import { hour, minute } from '../../src/platform/durations.ts';
import { counted, span } from '../../src/web/relative-time.ts';

test.each([
  [0, '0 votes'],
  [1, '1 vote'],
  [2, '2 votes'],
  [1_001, '1,001 votes'],
  [-1, '-1 vote'],
  [1.5, '1.5 votes'],
])('%d is counted as "%s"', (count, text) => {
  expect(counted(count, 'vote')).toBe(text);
});

test('a plural of its own is used where an "s" does not make it', () => {
  expect([0, 1, 2].map((count) => counted(count, 'delivery', 'deliveries'))).toEqual([
    '0 deliveries',
    '1 delivery',
    '2 deliveries',
  ]);
});

test('a wait has each of its units in the right number', () => {
  expect([minute, hour, hour + minute, 2 * hour + 2 * minute].map(span)).toEqual([
    '1 minute',
    '1 hour',
    '1 hour 1 minute',
    '2 hours 2 minutes',
  ]);
});
