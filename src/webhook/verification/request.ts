import { systemNow } from '@tallyhook/platform/clock';
import { TallyhookError } from '@tallyhook/platform/errors';
import type { Family } from '../event.ts';
import { tooLarge } from '../rejections.ts';
import { serialised } from '../signed-form.ts';
import type { KnownSite } from '../sites/site.ts';
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
  const pairs: Pairs = Symbol.iterator in headers ? headers : Object.entries(headers);
  const values = [...pairs].flatMap(([each, value]) => (each.toLowerCase() === name ? (value ?? []) : []));
  return values.length === 0 ? undefined : values.map(withoutSurroundingSpace).join(', ');
}

/** Removes spaces and tabs around a header, as HTTP parsers do. Not `trim`, which removes more. */
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

/** A body that was not read yet, as of a web request. */
interface ByteStream {
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
    if (done) return concat(chunks);
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
  return concat(chunks);
}

/** @param maxBytes what the body may have */
export function tooLargeError(maxBytes: number): VerificationError {
  return new VerificationError('webhook_body_too_large', { message: tooLarge(maxBytes) });
}

export function concat(parts: readonly Uint8Array[]): Bytes {
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    all.set(part, offset);
    offset += part.length;
  }
  return all;
}

/** The text of a body. Invalid bytes are replaced, and a byte-order mark is kept, as by the receiver. */
export function textOf(bytes: Bytes | null): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes ?? new Uint8Array());
}

function isStream(body: unknown): body is ByteStream {
  return typeof body === 'object' && body !== null && 'getReader' in body;
}

function isAsyncIterable(body: unknown): body is AsyncIterable<unknown> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

/** True for one of another realm too, for which `instanceof` is false. */
function isArrayBuffer(body: unknown): body is ArrayBuffer {
  return Object.prototype.toString.call(body) === '[object ArrayBuffer]';
}

/** How to read what a delivery leaves open. */
export interface VerifyOptions {
  /**
   * The kind of a vote that names only its voter: the listing that the webhook belongs to, by default a server. With
   * null such votes are not processed (`webhook_unprocessable`).
   */
  readonly kind?: 'server' | 'bot' | null;
  /** The current time (ms since the epoch). A later event is not processed if it is more than 5 minutes ahead. */
  readonly now?: number;
  /**
   * The greatest age of an event (ms), so that a captured delivery is of no use later; by default any. An older one, and
   * one without a time, is rejected (`webhook_too_old`), but not a test. The service repeats a delivery with the time of
   * the event, so allow for hours in which your program may be down.
   */
  readonly maxAgeMs?: number;
}

const isTime = (value: unknown) => typeof value === 'number' && value >= 0;

/** Values that each option may have. A wrong one would compare as false, and so accept everything. */
const checks: Readonly<Record<keyof VerifyOptions, readonly [isValid: (value: unknown) => boolean, hint: string]>> = {
  kind: [(value) => value === 'server' || value === 'bot' || value === null, "Pass 'server', 'bot' or null."],
  now: [isTime, 'Pass milliseconds since the epoch, as of Date.now.'],
  maxAgeMs: [isTime, 'Pass milliseconds: 24 * 60 * 60 * 1000 for a day.'],
};
const names = Object.keys(checks) as (keyof VerifyOptions)[];

/** A misspelled secret would be left out. @throws TallyhookError `invalid_options` */
export function rejectUnknownSecrets(secrets: object, known: readonly string[]): void {
  const unknown = Object.keys(secrets).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw invalid(`${unknown} is not one of the secrets of verify.`, `Pass an object with ${known.join(', ')}.`);
}

/** The options with their defaults. @throws TallyhookError `invalid_options`, also for an unknown one */
export function readOptions(options: VerifyOptions): Required<VerifyOptions> {
  if (typeof options !== 'object' || options === null)
    throw invalid('The options of verify are not an object.', 'Pass an object, such as { maxAgeMs }.');
  for (const [name, value] of Object.entries(options)) {
    const known = names.find((each) => each === name);
    if (known === undefined)
      throw invalid(`${name} is not an option of verify.`, `The options are ${names.join(', ')}.`);
    const [isValid, hint] = checks[known];
    if (value !== undefined && !isValid(value)) throw invalid(`The option ${name} of verify is invalid.`, hint);
  }
  const { kind = 'server', now = systemNow(), maxAgeMs = Number.POSITIVE_INFINITY } = options;
  return { kind, now, maxAgeMs };
}

function invalid(message: string, hint: string): TallyhookError {
  return new TallyhookError('invalid_options', message, { hint });
}

/** One secret, or several that are valid at once, for rotation. Missing and empty ones are left out. */
export type Secret = string | undefined | readonly (string | undefined)[];

/** The secrets of both kinds of webhooks. At least one is needed. */
export interface WebhookSecrets {
  readonly vote?: Secret;
  readonly premium?: Secret;
  /** Accepts unsigned server votes whose header `Authorization` has exactly this value. By default, none are accepted. */
  readonly authorization?: string | undefined;
}

/** The secrets of a listing on another site, such as top.gg, and what is known of the listing. */
export interface SiteSecrets {
  /** The site by its value of `site` in the settings, such as `topgg`. */
  readonly site: KnownSite | (string & {});
  /** The secrets as the site shows them. */
  readonly secrets: Secret;
  /** The Discord ID of the server or bot: votes for another one are not processed. By default any is accepted. */
  readonly id?: string | undefined;
}

/** The families for which each secret is valid. */
export interface ReadSecrets {
  readonly familiesOf: ReadonlyMap<string, readonly Family[]>;
  readonly authorization: string | null;
}

/** @throws VerificationError `webhook_secret_missing`; TallyhookError `invalid_options` for a name that does not exist */
export function readSecrets(secrets: Secret | WebhookSecrets): ReadSecrets {
  if (isByFamily(secrets)) rejectUnknownSecrets(secrets, ['vote', 'premium', 'authorization']);
  const { vote, premium, authorization } = isByFamily(secrets) ? secrets : { vote: secrets };
  const familiesOf = new Map<string, Family[]>();
  for (const secret of listOf(vote)) familiesOf.set(secret, ['vote']);
  for (const secret of listOf(premium)) {
    const families = familiesOf.get(secret) ?? [];
    if (!families.includes('premium')) familiesOf.set(secret, [...families, 'premium']);
  }
  const required = authorization === undefined || authorization === '' ? null : authorization;
  if (familiesOf.size === 0 && required === null) throw new VerificationError('webhook_secret_missing');
  return { familiesOf, authorization: required };
}

function isByFamily(secrets: Secret | WebhookSecrets): secrets is WebhookSecrets {
  return typeof secrets === 'object' && secrets !== null && !Array.isArray(secrets);
}

/** The secrets that are not empty. */
export function listOf(secret: Secret): readonly string[] {
  const all = Array.isArray(secret) ? secret : [secret];
  return all.filter((each) => typeof each === 'string' && each !== '');
}
