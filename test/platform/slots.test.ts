import { describe, expect, it } from 'vitest';
import { Slots } from '../../src/platform/slots.ts';

describe('Slots', () => {
  it('returns each value once, under its number', () => {
    const slots = new Slots<{ name: string }>();
    const [first, second] = [slots.add({ name: 'first' }), slots.add({ name: 'second' })];
    expect(slots.size).toBe(2);
    expect(slots.take(first)).toEqual({ name: 'first' });
    expect(slots.take(first)).toBeUndefined();
    expect(slots.size).toBe(1);
    expect(slots.values()).toEqual([{ name: 'second' }]);
    expect(slots.take(second)).toEqual({ name: 'second' });
    expect(slots.size).toBe(0);
  });

  it('uses the numbers of former values again, so that it grows no larger than it was at once', () => {
    const slots = new Slots<{ at: number }>();
    const numbers = Array.from({ length: 10_000 }, (_, at) => {
      const number = slots.add({ at });
      if (at % 3 > 0) expect(slots.take(number)).toEqual({ at });
      if (at % 3 === 2) slots.take(0);
      return number;
    });
    expect(Math.max(...numbers)).toBeLessThan(3_334);
    expect(new Set(slots.values()).size).toBe(slots.size);
  });

  it('never gives a number to two values at once', () => {
    const slots = new Slots<{ at: number }>();
    const held = new Map<number, number>();
    for (let at = 0; at < 1_000; at += 1) {
      const number = slots.add({ at });
      expect(held.has(number)).toBe(false);
      held.set(number, at);
      const [oldest] = held.keys();
      if (held.size < 40 || oldest === undefined) continue;
      expect(slots.take(oldest)).toEqual({ at: held.get(oldest) });
      held.delete(oldest);
    }
    expect(slots.size).toBe(held.size);
  });

  it('knows nothing of an unknown number, also after it was cleared', () => {
    const slots = new Slots<object>();
    expect(slots.take(0)).toBeUndefined();
    const number = slots.add({});
    slots.clear();
    expect(slots.take(number)).toBeUndefined();
    expect(slots.size).toBe(0);
    expect(slots.add({})).toBe(0);
  });
});
