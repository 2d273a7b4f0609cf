/** Numbers in [0, 1) that look drawn and are the same for the same beginning (mulberry32), so that a seeded community is too. */
export function createPrng(beginning: number): () => number {
  let state = beginning;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
