import { describe, expect, it } from 'vitest';
import { SlotMap } from '../src/slot-map.ts';

describe('SlotMap', () => {
  it('returns each value once, under its number', () => {
    const slotMap = new SlotMap<{ name: string }>();
    const [first, second] = [slotMap.add({ name: 'first' }), slotMap.add({ name: 'second' })];
    expect(slotMap.size).toBe(2);
    expect(slotMap.take(first)).toEqual({ name: 'first' });
    expect(slotMap.take(first)).toBeUndefined();
    expect(slotMap.size).toBe(1);
    expect(slotMap.values()).toEqual([{ name: 'second' }]);
    expect(slotMap.take(second)).toEqual({ name: 'second' });
    expect(slotMap.size).toBe(0);
  });

  it('uses the numbers of former values again, so that it grows no larger than it was at once', () => {
    const slotMap = new SlotMap<{ at: number }>();
    const numbers = Array.from({ length: 10_000 }, (_, at) => {
      const number = slotMap.add({ at });
      if (at % 3 > 0) expect(slotMap.take(number)).toEqual({ at });
      if (at % 3 === 2) slotMap.take(0);
      return number;
    });
    expect(Math.max(...numbers)).toBeLessThan(3_334);
    expect(new Set(slotMap.values()).size).toBe(slotMap.size);
  });

  it('never gives a number to two values at once', () => {
    const slotMap = new SlotMap<{ at: number }>();
    const held = new Map<number, number>();
    for (let at = 0; at < 1_000; at += 1) {
      const number = slotMap.add({ at });
      expect(held.has(number)).toBe(false);
      held.set(number, at);
      const [oldest] = held.keys();
      if (held.size < 40 || oldest === undefined) continue;
      expect(slotMap.take(oldest)).toEqual({ at: held.get(oldest) });
      held.delete(oldest);
    }
    expect(slotMap.size).toBe(held.size);
  });

  it('knows nothing of an unknown number, also after it was cleared', () => {
    const slotMap = new SlotMap<object>();
    expect(slotMap.take(0)).toBeUndefined();
    const number = slotMap.add({});
    slotMap.clear();
    expect(slotMap.take(number)).toBeUndefined();
    expect(slotMap.size).toBe(0);
    expect(slotMap.add({})).toBe(0);
  });
});
