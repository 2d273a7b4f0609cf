/** Ids per statement: fewer than the parameters that SQLite accepts. */
const chunkSize = 500;

export function chunksOf(ids: readonly number[]): readonly number[][] {
  return Array.from({ length: Math.ceil(ids.length / chunkSize) }, (_, index) =>
    ids.slice(index * chunkSize, (index + 1) * chunkSize),
  );
}
