declare const added: unique symbol;

/** A part of a record of the core that features add, and the core passes on without knowing it. */
export interface Added {
  readonly [added]: true;
}

/**
 * A value that a feature adds to a record of the core: to the rules of a listing, to what is announced of it, to the settings
 * of a guild. Only with this constant is it read and written, so the code that uses it names the feature.
 */
export interface AddedValue<Value> {
  /** In a record without it, the default. */
  in(record: object): Value;
  /** To spread into a record. */
  as(value: Value): Added;
}

/** Declares a value by its name in the record, and what it is where nothing is said of it. */
export function addedValue<Value>(name: string, missing: Value): AddedValue<Value> {
  return {
    // Nothing else writes it: `name` belongs to the feature.
    in: (record) => (record as Readonly<Record<string, Value | undefined>>)[name] ?? missing,
    as: (value) => ({ [name]: value }) as unknown as Added,
  };
}
