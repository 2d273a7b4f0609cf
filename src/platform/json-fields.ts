/* Checks of parsed JSON by the names and types of its fields. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function hasNumbers(value: JsonObject): value is Readonly<Record<string, number>> {
  return Object.values(value).every((item) => typeof item === 'number');
}

/** The JSON type of a field; `null` in addition if it is nullable. */
export type FieldType = readonly ['string' | 'number' | 'boolean' | 'object'] | readonly ['string' | 'number', null];
/** The fields of an object and their types, without the field that discriminates a union. */
export type Fields<Content> = Readonly<Record<Exclude<keyof Content, 'type'>, FieldType>>;

/** Whether the value is an object with these fields. */
export function matches<Content>(value: unknown, fields: Fields<Content>): value is Content {
  if (!isObject(value)) return false;
  return Object.entries<FieldType>(fields).every(([field, [type, nullable]]) => {
    const item = value[field];
    return typeof item === type || (nullable === null && item === null);
  });
}
