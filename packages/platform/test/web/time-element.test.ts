import { expect, it } from 'vitest';
import { day, hour, minute } from '../../src/durations.ts';
import { dateTime, exactDateTime, timeAgo, timeElement } from '../../src/web/time-element.ts';

const at = Date.UTC(2026, 0, 31, 12, 5, 9);
const element = (text: string) =>
  `<time datetime="2026-01-31T12:05:09.000Z" title="2026-01-31T12:05:09.000Z">${text}</time>`;

it('shows a time in UTC, to the minute or to the second, with the exact time in its attributes', () => {
  expect(dateTime(at).text).toBe(element('2026-01-31 12:05 UTC'));
  expect(exactDateTime(at).text).toBe(element('2026-01-31 12:05:09 UTC'));
});

it.each([
  [0, 'just now'],
  [minute, '1 minute ago'],
  [2 * hour - 1, '1 hour ago'],
  [3 * day, '3 days ago'],
])('shows how long ago %i ms are', (age, text) => {
  expect(timeAgo(at, at + age).text).toBe(element(text));
});

it.each([8.64e15 + 1, -8.64e15 - 1, 1e300, Number.NaN, Number.POSITIVE_INFINITY])(
  'shows %d, which is no time',
  (time) => {
    const shown = [
      dateTime(time),
      dateTime(time, { locale: 'de' }),
      exactDateTime(time),
      timeAgo(time, at),
      timeAgo(time, at, 'de'),
    ];
    for (const { text } of shown) expect(text).toBe('–');
    expect(timeElement(time, '<t:9>').text).toBe('&#60;t:9&#62;');
  },
);
