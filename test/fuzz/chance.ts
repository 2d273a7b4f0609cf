/** Chance that a seed decides (mulberry32): the same seed, the same run. */
export interface Chance {
  /** A whole number from 0 to `below` - 1. */
  number(below: number): number;
  pick<const Value>(values: readonly [Value, ...Value[]]): Value;
  /** True once in so many times. */
  once(inTimes: number): boolean;
}

export function chanceFrom(seed: number): Chance {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const number = (below: number) => Math.floor(next() * below);
  return {
    number,
    pick: (values) => values[number(values.length)] ?? values[0],
    once: (inTimes) => number(inTimes) === 0,
  };
}
