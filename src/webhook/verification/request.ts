import { tooLarge } from '../rejections.ts';
import { serialised } from '../signed-form.ts';
import { VerificationError } from './verification-error.ts';

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

/** A body that was not read yet, as of a web request. */
export interface ByteStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    cancel(): Promise<unknown>;
  };
}

export type Bytes = Uint8Array<ArrayBuffer>;

const encoder = new TextEncoder();

/**
 * The bytes of a body: a text, bytes, a stream of bytes, or a parsed body, which is serialised again. Null for a parsed
 * body that cannot be serialised, so that no signature can be valid.
 * @param maxBytes of a longer one
 * @throws VerificationError `webhook_body_too_large` or `webhook_body_unavailable`
 */
export async function readBytes(body: unknown, maxBytes: number): Promise<Bytes | null> {
  if (body === undefined) throw new VerificationError('webhook_body_unavailable');
  const bytes = isStream(body) || isAsyncIterable(body) ? await readStream(body, maxBytes) : bytesOf(body, maxBytes);
  if (bytes !== null && bytes.length > maxBytes) throw tooLargeError(maxBytes);
  return bytes;
}

function bytesOf(body: unknown, maxBytes: number): Bytes | null {
  if (typeof body === 'string') return encoder.encode(body);
  if (ArrayBuffer.isView(body)) return bytesOfView(body, maxBytes);
  if (isArrayBuffer(body)) return copyOf(body, { offset: 0, length: body.byteLength, maxBytes });
  const text = serialised(body);
  return text === null ? null : encoder.encode(text);
}

function bytesOfView({ buffer, byteOffset, byteLength }: ArrayBufferView, maxBytes: number): Bytes {
  return copyOf(buffer, { offset: byteOffset, length: byteLength, maxBytes });
}

function copyOf(
  buffer: ArrayBufferLike,
  { offset, length, maxBytes }: { readonly offset: number; readonly length: number; readonly maxBytes: number },
): Bytes {
  // A longer body is only rejected, so it is not copied.
  return new Uint8Array(new Uint8Array(buffer, offset, Math.min(length, maxBytes + 1)));
}

async function readStream(body: ByteStream | AsyncIterable<unknown>, maxBytes: number): Promise<Bytes> {
  try {
    return await (isStream(body) ? readReader(body.getReader(), maxBytes) : readIterable(body, maxBytes));
  } catch (error) {
    // The connection was closed, or the body is locked or consumed.
    throw error instanceof VerificationError ? error : new VerificationError('webhook_body_unavailable');
  }
}

async function readReader(reader: ReturnType<ByteStream['getReader']>, maxBytes: number): Promise<Bytes> {
  const chunks: Bytes[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return concat(chunks, size);
    if (value === undefined) continue;
    size += value.length;
    if (size > maxBytes) {
      await reader.cancel();
      throw tooLargeError(maxBytes);
    }
    chunks.push(bytesOfView(value, maxBytes));
  }
}

/** Reads to the end also if the body is too large: leaving a request of Node early would close its connection. */
async function readIterable(body: AsyncIterable<unknown>, maxBytes: number): Promise<Bytes> {
  const chunks: Bytes[] = [];
  let size = 0;
  for await (const chunk of body) {
    const bytes = typeof chunk === 'string' || ArrayBuffer.isView(chunk) ? bytesOf(chunk, maxBytes) : null;
    if (bytes === null) throw new VerificationError('webhook_body_unavailable');
    size += bytes.length;
    if (size <= maxBytes) chunks.push(bytes);
  }
  if (size > maxBytes) throw tooLargeError(maxBytes);
  return concat(chunks, size);
}

/** @param maxBytes what the body may have */
export function tooLargeError(maxBytes: number): VerificationError {
  return new VerificationError('webhook_body_too_large', { message: tooLarge(maxBytes) });
}

function concat(chunks: readonly Bytes[], size: number): Bytes {
  const all = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    all.set(chunk, offset);
    offset += chunk.length;
  }
  return all;
}

function isStream(body: unknown): body is ByteStream {
  return typeof body === 'object' && body !== null && 'getReader' in body;
}

function isAsyncIterable(body: unknown): body is AsyncIterable<unknown> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

/** Of another realm too, for which `instanceof` is false. */
function isArrayBuffer(body: unknown): body is ArrayBuffer {
  return Object.prototype.toString.call(body) === '[object ArrayBuffer]';
}
