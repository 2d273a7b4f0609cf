/**
 * The candidate that a misspelled word most likely means: up to a quarter of the candidate's characters may differ,
 * not counting the dashes of an option. Undefined when none is that close.
 */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const near = candidates.flatMap((candidate) => {
    const most = Math.ceil(candidate.replace(/^--/, '').length / 4);
    // A long text from outside is not compared at all.
    if (Math.abs(candidate.length - word.length) > most) return [];
    const differences = distance(word.toLowerCase(), candidate.toLowerCase());
    return differences <= most ? [{ candidate, differences }] : [];
  });
  return near.toSorted((a, b) => a.differences - b.differences)[0]?.candidate;
}

/**
 * The number of insertions, deletions, substitutions and swaps of adjacent characters that turn one word into the other
 * (optimal string alignment).
 */
export function distance(from: string, to: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        at(current, column - 1) + 1,
        at(previous, column) + 1,
        at(previous, column - 1) + (isSame ? 0 : 1),
        isSwap ? at(beforePrevious, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforePrevious, previous] = [previous, current];
  }
  return at(previous, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
