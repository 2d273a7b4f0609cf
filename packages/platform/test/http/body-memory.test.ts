import { describe, expect, it } from 'vitest';
import { BodyMemory } from '../../src/http/body.ts';

describe('the memory of unverified bodies', () => {
  it('makes room by ending the body that has been incomplete for the longest time', () => {
    const memory = new BodyMemory(100);
    const evicted: string[] = [];
    const bodies = ['first', 'second', 'third'].map((name) => memory.open(() => void evicted.push(name)));
    expect(bodies.map((body) => body.resize(40))).toEqual([true, true, true]);
    expect(evicted).toEqual(['first']);
    expect(memory.open(() => {}).resize(60)).toBe(true);
    expect(evicted).toEqual(['first', 'second']);
  });

  it('has no room while complete bodies wait for their verification', () => {
    const memory = new BodyMemory(100);
    const complete = memory.open(() => expect.unreachable());
    complete.resize(80);
    complete.complete();
    const other = memory.open(() => expect.unreachable());
    expect(other.resize(21)).toBe(false);
    expect(other.resize(20)).toBe(true);
    complete.release();
    complete.release();
    expect(other.resize(100)).toBe(true);
    expect(other.resize(101)).toBe(false);
  });

  it('counts a body once while it grows and when it is released', () => {
    const memory = new BodyMemory(100);
    for (let round = 0; round < 1_000; round += 1) {
      const body = memory.open(() => expect.unreachable());
      for (const size of [1, 2, 50, 100]) expect(body.resize(size)).toBe(true);
      if (round % 2 === 0) body.complete();
      body.release();
      expect(body.resize(1)).toBe(false);
    }
  });
});
