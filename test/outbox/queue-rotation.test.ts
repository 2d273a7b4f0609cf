import { describe, expect, it } from 'vitest';
import { createQueueRotation } from '../../src/outbox/queue-rotation.ts';
import { hour, minute, second } from '../../src/platform/durations.ts';
import { manualClock } from '../support/manual-clock.ts';

const start = Date.UTC(2026, 0, 1);

describe('the rotation of queues', () => {
  it('gives each queue its turn, in the order in which they were added', () => {
    const rotation = createQueueRotation(manualClock(start));
    expect(rotation.add('2')).toBe(true);
    expect(rotation.add('1')).toBe(true);
    expect(rotation.add('2')).toBe(false);
    expect(rotation.next()).toBe('2');
    rotation.add('2');
    expect([rotation.next(), rotation.next(), rotation.next()]).toEqual(['1', '2', undefined]);
    expect(rotation.isEmpty).toBe(true);
    expect(rotation.msUntilNext()).toBe(Number.POSITIVE_INFINITY);
  });

  it('adds a queue when its time has come, on the wall clock', async () => {
    const clock = manualClock(start);
    const rotation = createQueueRotation(clock);
    rotation.addAt('1', start + hour);
    rotation.addAt('1', start + minute);
    expect(rotation.next()).toBe(undefined);
    expect(rotation.msUntilNext()).toBe(minute);
    clock.shiftWallClock(minute);
    expect(rotation.next()).toBe('1');
    await clock.advance(2 * hour);
    expect(rotation.next()).toBe(undefined);
  });

  it('keeps a paused channel out, even if the wall clock is changed, and then adds it', async () => {
    const clock = manualClock(start);
    const rotation = createQueueRotation(clock);
    rotation.add('1');
    rotation.add('2');
    rotation.pause('1', 5 * second);
    clock.shiftWallClock(-hour);
    expect(rotation.add('1')).toBe(false);
    expect([rotation.next(), rotation.next()]).toEqual(['2', undefined]);
    expect(rotation.msUntilNext()).toBe(5 * second);
    clock.shiftWallClock(2 * hour);
    expect(rotation.next()).toBe(undefined);
    await clock.advance(5 * second);
    expect(rotation.next()).toBe('1');
  });
});
