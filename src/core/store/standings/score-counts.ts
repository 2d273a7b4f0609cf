/** How many members have each score of a leaderboard: all that ranks depend on. */
export interface ScoreCounts {
  /** How many members have a score. */
  readonly total: number;
  /** All scores together. */
  readonly sum: number;
  /** How many members have a greater score. */
  countAbove(score: number): number;
  /** How many members have this score or a greater one. */
  countFrom(score: number): number;
  /** The score of a place, which is counted from 0 and less than the total. */
  scoreAt(place: number): number;
}

/** @param counts the number of members by score; without an entry for 0 */
export function scoreCounts(counts: ReadonlyMap<number, number>): ScoreCounts {
  const scores = Float64Array.from(counts.keys()).sort().reverse();
  /** By the number of a score, how many members have it or a greater one. */
  const ends = new Float64Array(scores.length);
  let [total, sum] = [0, 0];
  for (const [number, score] of scores.entries()) {
    const count = counts.get(score) ?? 0;
    total += count;
    sum += score * count;
    ends[number] = total;
  }
  const endBefore = (number: number) => ends[number - 1] ?? 0;
  return {
    total,
    sum,
    countAbove: (score) => endBefore(firstOf(scores, (other) => other <= score)),
    countFrom: (score) => endBefore(firstOf(scores, (other) => other < score)),
    scoreAt: (place) => scores[firstOf(ends, (end) => end > place)] ?? 0,
  };
}

/** The index of the first value that fulfils a condition, which all values after it fulfil too. */
function firstOf(values: Float64Array, fulfils: (value: number) => boolean): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (fulfils(values[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return low;
}
