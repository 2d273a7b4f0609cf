import { expect, it } from 'vitest';
import { second } from '../../src/platform/durations.ts';
import { createLog } from '../../src/platform/log.ts';
import { createThrottledLog } from '../../src/platform/throttled-log.ts';
import { manualClock } from '../support/manual-clock.ts';

it('logs each key once per interval and then says how many messages it left out', async () => {
  const clock = manualClock();
  const lines: object[] = [];
  const log = createLog({
    level: 'warn',
    secrets: [],
    destination: { write: (line) => void lines.push(JSON.parse(line)) },
  });
  const logThrottled = createThrottledLog({ log, clock, intervalMs: 10 * second });

  expect(logThrottled('warn', 'a', 'first', { status: 401 })).toBe(true);
  await clock.advance(9 * second);
  expect(logThrottled('warn', 'a', 'second')).toBe(false);
  expect(logThrottled('error', 'b', 'of another key')).toBe(true);
  await clock.advance(second);
  expect(logThrottled('warn', 'a', 'third')).toBe(true);

  expect(lines).toMatchObject([
    { msg: 'first', status: 401 },
    { msg: 'of another key' },
    { msg: 'third', suppressed: 1 },
  ]);
  expect(lines[0]).not.toHaveProperty('suppressed');
});
