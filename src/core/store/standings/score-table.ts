import { setImmediate as nextTurn } from 'node:timers/promises';

/** The scores of one member; 0 for none. */
export interface Scores {
  readonly weekVotes: number;
  readonly weekCredits: number;
  readonly monthVotes: number;
  readonly monthCredits: number;
  readonly votes: number;
  readonly credits: number;
  readonly streak: number;
}
export type ScoreName = keyof Scores;

export interface MemberScores extends Scores {
  readonly userId: string;
}

/** The digits of the largest Discord id. */
const maxIdLength = 20;
const minCapacity = 1_024;
/** Rows that a pass over the table handles without a break: less than a millisecond. */
const sliceSize = 10_000;

/**
 * The scores of all members, in columns outside the garbage-collected heap: 60 bytes per member. So a million members
 * cause no long pauses.
 */
export class ScoreTable {
  #size = 0;
  #ids = Buffer.alloc(0);
  #columns = columnsOf(0);
  /** The rows by the age of the Discord accounts. */
  #byAge: Promise<Uint32Array> | undefined;

  get size(): number {
    return this.#size;
  }

  /** Members must be added in the order of their ids as text; of ids of the same length the smaller number is first. */
  add({ userId, ...scores }: MemberScores): void {
    if (this.#size === this.#columns.credits.length) this.#grow();
    const row = this.#size;
    this.#ids.fill(0, row * maxIdLength, (row + 1) * maxIdLength);
    this.#ids.write(userId, row * maxIdLength, maxIdLength, 'latin1');
    for (const name of scoreNames) this.#columns[name][row] = scores[name];
    this.#size += 1;
  }

  userIdAt(row: number): string {
    const start = row * maxIdLength;
    return this.#ids.toString('latin1', start, start + this.#idLength(row));
  }

  /** The scores of one kind by row; longer than the table. */
  scores(name: ScoreName): Float64Array | Uint32Array {
    return this.#columns[name];
  }

  /** The rows with the older Discord accounts, whose ids are the smaller numbers, first. */
  byAge(): Promise<Uint32Array> {
    this.#byAge ??= this.#sortByAge();
    return this.#byAge;
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

  /** Rows of the same length are already sorted, so counting the lengths suffices. */
  async #sortByAge(): Promise<Uint32Array> {
    const starts = new Uint32Array(maxIdLength + 2);
    await this.inSlices((from, to) => {
      for (let row = from; row < to; row += 1) increment(starts, this.#idLength(row) + 1);
    });
    for (let length = 1; length < starts.length; length += 1) {
      starts[length] = (starts[length] ?? 0) + (starts[length - 1] ?? 0);
    }
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

  #grow(): void {
    const capacity = Math.max(minCapacity, this.#size * 2);
    const ids = Buffer.alloc(capacity * maxIdLength);
    this.#ids.copy(ids);
    const columns = columnsOf(capacity);
    for (const name of scoreNames) columns[name].set(this.#columns[name]);
    this.#ids = ids;
    this.#columns = columns;
  }
}

/** Votes and days fit into 32 bits; credits may not. */
function columnsOf(capacity: number) {
  const days = () => new Uint32Array(capacity);
  const credits = () => new Float64Array(capacity);
  return {
    weekVotes: days(),
    monthVotes: days(),
    votes: days(),
    streak: days(),
    weekCredits: credits(),
    monthCredits: credits(),
    credits: credits(),
  } satisfies Record<ScoreName, Float64Array | Uint32Array>;
}

const scoreNames = Object.keys(columnsOf(0)) as readonly ScoreName[];

/** Returns the value before. */
function increment(counts: Uint32Array, index: number): number {
  const count = counts[index] ?? 0;
  counts[index] = count + 1;
  return count;
}

function isOlder(a: string, b: string): boolean {
  return a.length === b.length ? a < b : a.length < b.length;
}
