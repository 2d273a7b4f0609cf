import type { Compilable } from 'kysely';

/** Ids per statement: fewer than the parameters that SQLite accepts. */
const chunkSize = 500;

export function chunksOf(ids: readonly number[]): readonly number[][] {
  return Array.from({ length: Math.ceil(ids.length / chunkSize) }, (_, index) =>
    ids.slice(index * chunkSize, (index + 1) * chunkSize),
  );
}

/** A statement for each chunk of the ids. */
export function inChunks<Row>(
  ids: readonly number[],
  build: (ids: readonly number[]) => Compilable<Row>,
): Compilable<Row>[] {
  return chunksOf(ids).map(build);
}
