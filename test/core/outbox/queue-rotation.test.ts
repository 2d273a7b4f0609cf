import { hour, minute, second } from '@tallyhook/platform/durations';
import { manualClock } from '@tallyhook/platform/testing/manual-clock';
import { describe, expect, it } from 'vitest';
import { QueueRotation } from '../../../src/core/outbox/queue-rotation.ts';

const start = Date.UTC(2026, 0, 1);

describe('the rotation of queues', () => {
  it('gives each queue its turn, in the order in which they were added', () => {
    const rotation = new QueueRotation(manualClock(start));
    expect(rotation.add('2')).toBe(true);
    expect(rotation.add('1')).toBe(true);
    expect(rotation.add('2')).toBe(false);
    expect(rotation.next()).toBe('2');
    rotation.finish('2');
    rotation.add('2');
    expect([rotation.next(), rotation.next(), rotation.next()]).toEqual(['1', '2', undefined]);
    expect(rotation.hasNext).toBe(false);
    expect(rotation.msUntilNext()).toBe(Number.POSITIVE_INFINITY);
  });

  it('adds a queue when its time has come, on the wall clock', async () => {
    const clock = manualClock(start);
    const rotation = new QueueRotation(clock);
    rotation.addAt('1', start + hour);
    rotation.addAt('1', start + minute);
    expect(rotation.next()).toBe(undefined);
    expect(rotation.msUntilNext()).toBe(minute);
    clock.shiftWallClock(minute);
    expect(rotation.next()).toBe('1');
    rotation.finish('1');
    await clock.advance(2 * hour);
    expect(rotation.next()).toBe(undefined);
  });

  it('keeps a paused channel out, even if the wall clock is changed, and then adds it', async () => {
    const clock = manualClock(start);
    const rotation = new QueueRotation(clock);
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

  describe('of several communities', () => {
    const communityOf = (queue: string) => queue.slice(0, 1);

    it('gives each community its turn, however many queues it has', () => {
      const rotation = new QueueRotation(manualClock(start), communityOf);
      for (const queue of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) rotation.add(queue);
      const turns = Array.from({ length: 6 }, () => {
        const queue = rotation.next() ?? '';
        rotation.finish(queue);
        return queue;
      });
      expect(turns).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    });

    it('never lets a community wait for the attempts of others', () => {
      const rotation = new QueueRotation(manualClock(start), communityOf);
      for (const name of ['a', 'b', 'c']) {
        for (let index = 0; index < 10; index += 1) rotation.add(`${name}${index}`);
      }
      const running = () => {
        const started: string[] = [];
        for (let queue = rotation.next(); queue !== undefined; queue = rotation.next()) started.push(queue);
        return started;
      };
      expect(running()).toHaveLength(8);
      rotation.add('d1');
      rotation.add('d2');
      expect(running()).toEqual(['d1']);
      rotation.finish('a0');
      // Eight are running still.
      expect(running()).toEqual([]);
      rotation.finish('b0');
      expect(running()).toHaveLength(1);
    });

    it('runs at most four attempts of one community', () => {
      const rotation = new QueueRotation(manualClock(start), communityOf);
      for (let index = 0; index < 10; index += 1) rotation.add(`a${index}`);
      const started = Array.from({ length: 10 }, () => rotation.next()).filter((queue) => queue !== undefined);
      expect(started).toEqual(['a0', 'a1', 'a2', 'a3']);
      expect(rotation.hasNext).toBe(false);
    });

    it('skips a paused community', async () => {
      const clock = manualClock(start);
      const rotation = new QueueRotation(clock, communityOf);
      for (const queue of ['a1', 'a2', 'b1']) rotation.add(queue);
      rotation.pauseCommunity('a2', 5 * second);
      expect([rotation.next(), rotation.next()]).toEqual(['b1', undefined]);
      expect(rotation.msUntilNext()).toBe(5 * second);
      await clock.advance(5 * second);
      expect([rotation.next(), rotation.next()]).toEqual(['a1', 'a2']);
    });
  });
});
