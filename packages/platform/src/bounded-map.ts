/** A map with at most `maxEntries` entries. Setting one more deletes the entry that was set longest ago. */
export class BoundedMap<Value> extends Map<string, Value> {
  readonly #maxEntries: number;

  constructor(maxEntries: number) {
    super();
    this.#maxEntries = maxEntries;
  }

  override set(key: string, value: Value): this {
    this.delete(key);
    super.set(key, value);
    for (const oldest of this.keys()) {
      if (this.size <= this.#maxEntries) break;
      this.delete(oldest);
    }
    return this;
  }
}
