import { expect, it } from 'vitest';
import { minute, second } from '../src/durations.ts';
import { createLog } from '../src/log.ts';
import { createThrottledLog } from '../src/throttled-log.ts';
import { manualClock } from '../testing/manual-clock.ts';

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

function throttledLog(options: { intervalMs: number; maxMessages?: number; flushUntil?: AbortSignal }) {
  const clock = manualClock();
  const lines: Line[] = [];
  const log = createLog({
    level: 'debug',
    secrets: [],
    destination: { write: (line) => void lines.push(JSON.parse(line)) },
  });
  /** What is logged as `info` or above. */
  const visible = () => lines.filter(({ level }) => level > 20).map(({ msg, suppressed }) => [msg, suppressed]);
  return { clock, lines, visible, logThrottled: createThrottledLog({ log, clock, ...options }) };
}

it('logs each key once per interval and then says how many messages it left out', async () => {
  const { clock, lines, logThrottled } = throttledLog({ intervalMs: 10 * second });

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

it('logs three messages per key, and the last suppressed one at the end of each interval', async () => {
  const flushUntil = new AbortController().signal;
  const { clock, lines, visible, logThrottled } = throttledLog({ intervalMs: minute, maxMessages: 3, flushUntil });
  for (let count = 0; count < 10; count += 1) {
    logThrottled('warn', 'connection', 'lost', { count });
    logThrottled('info', 'connection', 'back', { count });
  }
  const first = [
    ['lost', undefined],
    ['back', undefined],
    ['lost', undefined],
  ];
  expect(visible()).toEqual(first);
  await clock.advance(minute);
  expect(visible()).toEqual([...first, ['back', 17]]);
  expect(lines.at(-1)).toMatchObject({ level: 30, count: 9 });
  logThrottled('warn', 'connection', 'lost');
  await clock.advance(30 * second);
  expect(visible()).toHaveLength(4);
  await clock.advance(30 * second);
  expect(visible().at(-1)).toEqual(['lost', 1]);
  await clock.advance(minute);
  logThrottled('info', 'connection', 'back');
  expect(visible().at(-1)).toEqual(['back', undefined]);
});

it('throttles each key separately, and logs nothing after the signal aborts', async () => {
  const stopping = new AbortController();
  const { clock, visible, logThrottled } = throttledLog({
    intervalMs: minute,
    maxMessages: 3,
    flushUntil: stopping.signal,
  });
  for (let count = 0; count < 5; count += 1) logThrottled('warn', 'one', 'one');
  logThrottled('warn', 'other', 'other');
  expect(visible()).toHaveLength(4);
  stopping.abort();
  await clock.advance(minute);
  expect(visible()).toHaveLength(4);
});
