import { describe, expect, it } from 'vitest';
import { createChannelQueue } from '../../src/outbox/channel-queue.ts';
import { hour, minute, second } from '../../src/platform/durations.ts';
import { manualClock } from '../support/manual-clock.ts';

const start = Date.UTC(2026, 0, 1);

describe('the queue of channels', () => {
  it('gives each channel its turn, in the order in which they were added', () => {
    const queue = createChannelQueue(manualClock(start));
    expect(queue.add('2')).toBe(true);
    expect(queue.add('1')).toBe(true);
    expect(queue.add('2')).toBe(false);
    expect(queue.next()).toBe('2');
    queue.add('2');
    expect([queue.next(), queue.next(), queue.next()]).toEqual(['1', '2', undefined]);
    expect(queue.isEmpty).toBe(true);
    expect(queue.msUntilNext()).toBe(Number.POSITIVE_INFINITY);
  });

  it('adds a channel when its time has come, on the wall clock', async () => {
    const clock = manualClock(start);
    const queue = createChannelQueue(clock);
    queue.addAt('1', start + hour);
    queue.addAt('1', start + minute);
    expect(queue.next()).toBe(undefined);
    expect(queue.msUntilNext()).toBe(minute);
    clock.shiftWallClock(minute);
    expect(queue.next()).toBe('1');
    await clock.advance(2 * hour);
    expect(queue.next()).toBe(undefined);
  });

  it('keeps a paused channel out, even if the wall clock is changed, and then adds it', async () => {
    const clock = manualClock(start);
    const queue = createChannelQueue(clock);
    queue.add('1');
    queue.add('2');
    queue.pause('1', 5 * second);
    clock.shiftWallClock(-hour);
    expect(queue.add('1')).toBe(false);
    expect([queue.next(), queue.next()]).toEqual(['2', undefined]);
    expect(queue.msUntilNext()).toBe(5 * second);
    clock.shiftWallClock(2 * hour);
    expect(queue.next()).toBe(undefined);
    await clock.advance(5 * second);
    expect(queue.next()).toBe('1');
  });
});
