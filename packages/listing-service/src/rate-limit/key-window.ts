/**
 * The requests of one key, as this process knows them: its own with their exact times, those of other processes as they
 * were when this process last reserved, and the block of requests that it may answer without asking. Times are
 * monotonic (ms).
 */
export class KeyWindow {
  /** The key is rejected until then. */
  deniedUntil = Number.NEGATIVE_INFINITY;
  #own: number[] = [];
  #others: number[] = [];
  #unused = 0;
  #usableUntil = Number.NEGATIVE_INFINITY;
  #isStored = true;

  /** Forgets what happened at `until` or before. */
  forget(until: number): void {
    if ((this.#own[0] ?? Number.POSITIVE_INFINITY) <= until) this.#own = this.#own.filter((at) => at > until);
    if ((this.#others[0] ?? Number.POSITIVE_INFINITY) <= until) this.#others = this.#others.filter((at) => at > until);
  }

  /** Counts a request from the block; false if the block is used up or has ended. */
  use(now: number): boolean {
    if (this.#unused === 0 || now > this.#usableUntil) return false;
    this.#unused -= 1;
    this.#own.push(now);
    this.#isStored = false;
    return true;
  }

  /** Replaces the block after it was stored, and what is known of other processes. */
  open(block: { readonly size: number; readonly usableUntil: number }, others: readonly number[]): void {
    this.#unused = block.size;
    this.#usableUntil = block.usableUntil;
    this.#others = others.toSorted((a, b) => a - b);
    if (block.size > 0) this.#isStored = false;
  }

  /** Gives up the block. The own requests were stored as they are. */
  settle(): void {
    this.#unused = 0;
    this.#isStored = true;
  }

  /** The times of this process's own requests. */
  get own(): readonly number[] {
    return this.#own;
  }

  get count(): number {
    return this.#own.length + this.#others.length;
  }

  /** Undefined without requests. */
  get oldestAt(): number | undefined {
    const [own, other] = [this.#own[0], this.#others[0]];
    return own === undefined || other === undefined ? (own ?? other) : Math.min(own, other);
  }

  get hasOthers(): boolean {
    return this.#others.length > 0;
  }

  /** Whether the database contains less than is known here, and no block is open that would be stored again. */
  needsStoring(now: number): boolean {
    return !this.#isStored && (now > this.#usableUntil || this.#unused === 0);
  }

  /** Whether the block ended before it was used up. */
  isLate(now: number): boolean {
    return this.#unused > 0 && now > this.#usableUntil;
  }

  /** Whether the block was used, or not given back, since it was stored. */
  get isStored(): boolean {
    return this.#isStored;
  }
}
