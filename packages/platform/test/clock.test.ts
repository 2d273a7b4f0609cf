import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startTimer } from '../src/clock.ts';
import { manualClock } from '../testing/manual-clock.ts';

test('a timer acts when its time has come, unless it was stopped before', async () => {
  const clock = manualClock();
  const acted: string[] = [];
  const stop = startTimer(clock, 10, () => acted.push('stopped'));
  startTimer(clock, 10, () => acted.push('waiting'));
  await clock.advance(9);
  stop();
  await setImmediate();
  expect(acted).toEqual([]);
  await clock.advance(1);
  expect(acted).toEqual(['waiting']);
});
