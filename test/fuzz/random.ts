/** Pseudo-random numbers from a seed (mulberry32). */
export interface Random {
  /** An integer from 0 to `below` - 1. */
  integer(below: number): number;
  pick<const Value>(values: readonly [Value, ...Value[]]): Value;
  /** True with a probability of 1 in `count`. */
  oneIn(count: number): boolean;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const number = (below: number) => Math.floor(next() * below);
  return {
    integer: number,
    pick: (values) => values[number(values.length)] ?? values[0],
    oneIn: (count) => number(count) === 0,
  };
}
