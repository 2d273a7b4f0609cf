import { TallyhookError } from '@tallyhook/platform/errors';

/** The fields of a row by name. Values of CSV are texts, those of JSON as in the file. */
export type Fields = Readonly<Record<string, unknown>>;

/** A number that may be too large for JavaScript, as it is in the file: 16 digits and more, or an exponent. */
const largeNumber = /\d{16}|\de/i;

/**
 * Parses JSON. Whole numbers that JavaScript would round, such as the ids of Discord, are returned as they are written.
 * @throws SyntaxError
 */
export function parseExactly(text: string): unknown {
  if (!largeNumber.test(text)) return JSON.parse(text);
  return JSON.parse(text, ((_key: string, value: unknown, { source }: { source?: string }) =>
    typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) ? source : value) as (
    key: string,
    value: unknown,
  ) => unknown);
}

/** The fields of a JSON value: those of an object, the elements of an array by their number, otherwise `value`. */
export function fieldsOf(value: unknown, key: string | null): Fields {
  const own = key === null ? {} : { key };
  if (typeof value !== 'object' || value === null) return { ...own, value };
  if (Array.isArray(value)) return { ...own, ...Object.fromEntries(value.map((each, index) => [index + 1, each])) };
  return { ...own, ...value };
}

/**
 * The value of a field. The name may lead into objects: `value.points`. Texts that contain JSON, as some databases store
 * it, are parsed on the way.
 */
export function readPath(fields: Fields, path: string): unknown {
  if (Object.hasOwn(fields, path)) return fields[path];
  let value: unknown = fields;
  for (const name of path.split('.')) {
    const object = typeof value === 'string' ? parseObject(value) : value;
    if (typeof object !== 'object' || object === null || !Object.hasOwn(object, name)) return undefined;
    value = (object as Record<string, unknown>)[name];
  }
  return value;
}

/** The value of a field as text without white space around it; empty if it is neither text nor a number. */
export function readText(fields: Fields, path: string): string {
  return textOf(readPath(fields, path));
}

export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim().replace(/^'/, '') : '';
}

/** The names of all fields that have no fields of their own, such as `value.points`. */
export function fieldPaths(fields: Fields, depth = 3): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const object = typeof value === 'string' ? parseObject(value) : value;
    if (typeof object !== 'object' || object === null || Array.isArray(object) || depth === 1) return [name];
    return fieldPaths(object as Fields, depth - 1).map((path) => `${name}.${path}`);
  });
}

function parseObject(text: string): unknown {
  if (!text.startsWith('{')) return null;
  try {
    return parseExactly(text);
  } catch {
    return null;
  }
}

/** Maximum length of one row of a file (characters). */
export const maxRowLength = 1_000_000;

/** A file that cannot be read as what it is. @param line counted from 1 */
export function invalidFile(line: number, problem: string, hint: string): TallyhookError {
  return new TallyhookError('invalid_import_file', `The row on line ${line} ${problem}.`, { hint });
}
