import { expect, it } from 'vitest';
import { createLogThrottle } from '../../src/discord/log-throttle.ts';
import { minute, second } from '../../src/platform/durations.ts';
import { manualClock } from '../support/manual-clock.ts';
import { listeningLog } from './bot.ts';

function throttling() {
  const clock = manualClock();
  const { log, said } = listeningLog();
  const halt = new AbortController();
  const throttle = createLogThrottle({ log, clock, signal: halt.signal });
  const lines = () => said.filter(({ level }) => level > 20).map(({ msg, suppressed }) => [msg, suppressed]);
  return { clock, throttle, halt, said, lines };
}

it('a throttled topic has three lines, and the newest of the rest at the end of each minute', async () => {
  const { clock, throttle, said, lines } = throttling();
  for (let count = 0; count < 10; count += 1) {
    throttle('connection', 'warn', { count }, 'lost');
    throttle('connection', 'info', { count }, 'back');
  }
  const first = [
    ['lost', undefined],
    ['back', undefined],
    ['lost', undefined],
  ];
  expect(lines()).toEqual(first);
  await clock.advance(minute);
  expect(lines()).toEqual([...first, ['back', 17]]);
  expect(said.at(-1)).toMatchObject({ level: 30, count: 9 });
  throttle('connection', 'warn', {}, 'lost');
  await clock.advance(30 * second);
  expect(lines()).toHaveLength(4);
  await clock.advance(30 * second);
  expect(lines().at(-1)).toEqual(['lost', 1]);
  await clock.advance(minute);
  throttle('connection', 'info', {}, 'back');
  expect(lines().at(-1)).toEqual(['back', undefined]);
});

it('topics are throttled each by itself, and nothing is logged after the end', async () => {
  const { clock, throttle, halt, lines } = throttling();
  for (let count = 0; count < 5; count += 1) throttle('one', 'warn', {}, 'one');
  throttle('other', 'warn', {}, 'other');
  expect(lines()).toHaveLength(4);
  halt.abort();
  await clock.advance(minute);
  expect(lines()).toHaveLength(4);
});
