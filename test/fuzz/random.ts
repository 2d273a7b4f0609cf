import { createPrng } from '@tallyhook/platform/prng';

/** Pseudo-random numbers from a seed. */
export interface Random {
  /** An integer from 0 to `below` - 1. */
  integer(below: number): number;
  pick<const Value>(values: readonly [Value, ...Value[]]): Value;
  /** True with a probability of 1 in `count`. */
  oneIn(count: number): boolean;
}

export function createRandom(seed: number): Random {
  const next = createPrng(seed >>> 0);
  const number = (below: number) => Math.floor(next() * below);
  return {
    integer: number,
    pick: (values) => values[number(values.length)] ?? values[0],
    oneIn: (count) => number(count) === 0,
  };
}
