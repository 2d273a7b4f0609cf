/**
 * Headers of any kind: `Headers`, the headers of Node's requests, a plain object, a `Map`, or pairs. Names may be in any
 * case.
 */
export type HeadersLike =
  | { get(name: string): string | null }
  | Iterable<readonly [string, string]>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

type Pairs = Iterable<readonly [string, string | readonly string[] | undefined]>;

/** The value of a header; undefined if it is missing. Values of the same name are joined by a comma, as in HTTP. */
export function readHeader(headers: HeadersLike, name: string): string | undefined {
  if (hasGetAlone(headers)) return headers.get(name) ?? undefined;
  const values = [...pairsOf(headers)].flatMap(([each, value]) => (each.toLowerCase() === name ? (value ?? []) : []));
  return values.length === 0 ? undefined : values.map(withoutSurroundingSpace).join(', ');
}

/** As by every HTTP parser. Not `trim`, which removes more than spaces and tabs. */
function withoutSurroundingSpace(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isSpace(value[start])) start += 1;
  while (end > start && isSpace(value[end - 1])) end -= 1;
  return value.slice(start, end);
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

/** Not `Map`, whose `get` distinguishes upper and lower case. */
function hasGetAlone(headers: HeadersLike): headers is { get(name: string): string | null } {
  return 'get' in headers && typeof headers.get === 'function' && !(headers instanceof Map);
}

function pairsOf(headers: Exclude<HeadersLike, { get(name: string): string | null }>): Pairs {
  return isIterable(headers) ? headers : Object.entries(headers);
}

function isIterable(headers: object): headers is Iterable<readonly [string, string]> {
  return Symbol.iterator in headers;
}
