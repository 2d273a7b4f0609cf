/**
 * Values that come and go, each under a number that a later one uses again. For as many as requests: V8 gives a `Map` a new
 * table each time deleted entries have filled it, and the old table refers to the new one. Once a table is in the old
 * generation, all later ones follow it with what they held, and only a full collection frees them (`bench/NOTES.md`).
 */
export class SlotMap<Value extends object> {
  readonly #values: (Value | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#values.length - this.#free.length;
  }

  /** Returns its number. */
  add(value: Value): number {
    const slot = this.#free.pop() ?? this.#values.length;
    this.#values[slot] = value;
    return slot;
  }

  /** Removes and returns the value with this number; undefined if there is none. */
  take(slot: number): Value | undefined {
    const value = this.#values[slot];
    if (value === undefined) return undefined;
    this.#values[slot] = undefined;
    this.#free.push(slot);
    return value;
  }

  /** All values, in no particular order. */
  values(): Value[] {
    return this.#values.filter((value) => value !== undefined);
  }

  clear(): void {
    this.#values.length = 0;
    this.#free.length = 0;
  }
}
