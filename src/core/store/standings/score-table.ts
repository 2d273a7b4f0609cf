import { setImmediate as nextTurn } from 'node:timers/promises';

/** The digits of the largest Discord id. */
const maxIdLength = 20;
const minCapacity = 1_024;
const comma = 44;
/** Rows that a pass over the table handles without a break: less than a millisecond. */
const sliceSize = 10_000;

/**
 * The scores of all members for one leaderboard, in columns outside the garbage-collected heap: 28 bytes per member. So
 * a million members cause no long pauses.
 */
export class ScoreTable {
  #size = 0;
  #ids = Buffer.alloc(0);
  #scores = new Float64Array(0);
  /** How many ids have each length. */
  readonly #lengths = new Uint32Array(maxIdLength + 1);

  get size(): number {
    return this.#size;
  }

  /** The scores by row, 0 for none; longer than the table. */
  get scores(): Float64Array {
    return this.#scores;
  }

  /**
   * Members must be added in the order of their ids as text; of ids of the same length the smaller number is first.
   * @param ids of at most 20 digits, separated by commas: a text for each would take longer than all else
   * @param scores one for each id
   */
  add(ids: string, scores: readonly number[]): void {
    if (this.#size + scores.length > this.#scores.length) this.#grow(this.#size + scores.length);
    const text = Buffer.from(ids, 'latin1');
    let start = this.#size * maxIdLength;
    let end = start;
    for (let index = 0; index <= text.length; index += 1) {
      const byte = text[index] ?? comma;
      if (byte === comma) {
        increment(this.#lengths, end - start);
        start += maxIdLength;
        end = start;
      } else {
        this.#ids[end] = byte;
        end += 1;
      }
    }
    this.#scores.set(scores, this.#size);
    this.#size += scores.length;
  }

  userIdAt(row: number): string {
    const start = row * maxIdLength;
    return this.#ids.toString('latin1', start, start + this.#idLength(row));
  }

  /** The row of a member among rows that are sorted by age; -1 if there is none. */
  find(userId: string, rowsByAge: Uint32Array, from = 0, to = rowsByAge.length): number {
    let [low, high] = [from, to];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isOlder(this.userIdAt(rowsByAge[middle] ?? 0), userId)) low = middle + 1;
      else high = middle;
    }
    return low < to && this.userIdAt(rowsByAge[low] ?? 0) === userId ? low : -1;
  }

  /** Calls back with ranges of rows that cover the table, and yields to other work in between. */
  async inSlices(run: (from: number, to: number) => void): Promise<void> {
    for (let from = 0; from < this.#size; from += sliceSize) {
      run(from, Math.min(this.#size, from + sliceSize));
      if (from + sliceSize < this.#size) await nextTurn();
    }
  }

  /**
   * The rows with the older Discord accounts, whose ids are the smaller numbers, first. Rows of the same length are
   * already sorted, so the shorter ones only have to be moved to the front.
   */
  async byAge(): Promise<Uint32Array> {
    let shorter = 0;
    const starts = this.#lengths.map((count) => {
      shorter += count;
      return shorter - count;
    });
    const rows = new Uint32Array(this.#size);
    await this.inSlices((from, to) => {
      for (let row = from; row < to; row += 1) rows[increment(starts, this.#idLength(row))] = row;
    });
    return rows;
  }

  #idLength(row: number): number {
    let length = maxIdLength;
    while (length > 0 && this.#ids[row * maxIdLength + length - 1] === 0) length -= 1;
    return length;
  }

  #grow(needed: number): void {
    const capacity = Math.max(minCapacity, needed, this.#size * 2);
    const ids = Buffer.alloc(capacity * maxIdLength);
    this.#ids.copy(ids);
    const scores = new Float64Array(capacity);
    scores.set(this.#scores);
    this.#ids = ids;
    this.#scores = scores;
  }
}

/** Returns the value before. */
export function increment(counts: Uint32Array | number[], index: number): number {
  const count = counts[index] ?? 0;
  counts[index] = count + 1;
  return count;
}

function isOlder(a: string, b: string): boolean {
  return a.length === b.length ? a < b : a.length < b.length;
}
