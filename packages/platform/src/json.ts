/** The value of a JSON text; undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/* Values that are JSON of some form, whatever it is: what has another form is read as missing. */

export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

export function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

/** The text of a value in a field of a form; empty for a missing value. */
export function fieldText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** A copy without the properties that are undefined. */
export function withoutUndefined(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

/** True if two values are equal, whatever the order of their properties. */
export function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(
    entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, inner]) => [name, sorted(inner)]),
  );
}

/* Checks of parsed JSON by the names and types of its fields. */

export function hasNumbers(value: JsonObject): value is Readonly<Record<string, number>> {
  return Object.values(value).every((item) => typeof item === 'number');
}

/** The JSON type of a field; `null` in addition if it is nullable. */
type FieldType = readonly ['string' | 'number' | 'boolean' | 'object'] | readonly ['string' | 'number', null];
/**
 * The fields of an object and their types, without the field that discriminates a union, and those that can be missing.
 */
export type Fields<Content> = {
  readonly [Name in keyof Content as Name extends 'type'
    ? never
    : object extends Pick<Content, Name>
      ? never
      : Name]: FieldType;
};

/** True if the value is an object with these fields. */
export function matches<Content>(value: unknown, fields: Fields<Content>): value is Content {
  if (!isObject(value)) return false;
  return Object.entries<FieldType>(fields).every(([field, [type, nullable]]) => {
    const item = value[field];
    return typeof item === type || (nullable === null && item === null);
  });
}
