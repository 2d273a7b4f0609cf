import { IncomingMessage } from 'node:http';
import type { RequestHandler, Response } from 'express';
import { SlotMap } from '../slot-map.ts';
import { maxBodyBytes } from './max-body-bytes.ts';

const emptyBody = Buffer.alloc(0);

/** A part of a body, or how it ends. */
export type BodyEvent = Buffer | 'end' | 'aborted';

/** Why there is no body. `no memory`: other bodies need the memory that it would take. */
export type BodyFailure = 'too large' | 'aborted' | 'consumed' | 'no memory';

/** A complete body whose sender is not verified yet. */
export interface UnverifiedBody {
  readonly bytes: Buffer;
  /** To be called when its sender is verified or rejected. */
  readonly release: () => void;
}

/**
 * Reads the raw bytes of a request up to `maxBytes`. Expected failures are values, not errors. A buffer in
 * `request.body` (from `express.raw()`) is used as is; after any other body parser the result is `consumed`, because
 * the raw bytes are lost.
 */
export function readBody(
  request: IncomingMessage & { body?: unknown },
  memory: BodyMemory,
  maxBytes: number = maxBodyBytes,
): Promise<UnverifiedBody | BodyFailure> {
  return Promise.resolve(earlierBody(request, maxBytes) ?? receiveBody(request, memory, maxBytes));
}

/** The body or failure that is known before reading; null if the body must be read. */
function earlierBody(
  request: IncomingMessage & { body?: unknown },
  maxBytes: number,
): UnverifiedBody | BodyFailure | null {
  if (Buffer.isBuffer(request.body)) return request.body.length > maxBytes ? 'too large' : notReserved(request.body);
  // A parser loses nothing when it consumes an empty body.
  if (request.readableEnded && request.headers['content-length'] === '0') return notReserved(emptyBody);
  if (request.readableDidRead || request.readableEnded) return 'consumed';
  // The connection closed while an earlier middleware was running. No further event follows.
  if (request.destroyed) return 'aborted';
  return Number(request.headers['content-length']) > maxBytes ? 'too large' : null;
}

function notReserved(bytes: Buffer): UnverifiedBody {
  return { bytes, release: () => {} };
}

function receiveBody(
  request: IncomingMessage,
  memory: BodyMemory,
  maxBytes: number,
): Promise<UnverifiedBody | BodyFailure> {
  return collectBody({ memory, maxBytes }, (handle) => {
    if (request instanceof DirectRequest && request.redirectBody(handle)) return;
    request.on('data', handle);
    request.on('end', () => handle('end'));
    request.on('error', () => handle('aborted'));
    request.on('close', () => handle('aborted'));
  });
}

/** Joins the parts of a body. @param listen passes them on as they arrive; what follows a failure is ignored */
export function collectBody(
  { memory, maxBytes }: { readonly memory: BodyMemory; readonly maxBytes: number },
  listen: (handle: (event: BodyEvent) => void) => void,
): Promise<UnverifiedBody | BodyFailure> {
  return new Promise((resolve) => {
    let body: Buffer | null = emptyBody;
    let size = 0;
    const reservation = memory.open(() => fail('no memory'));

    function fail(failure: BodyFailure): void {
      if (body === null) return;
      body = null;
      reservation.release();
      resolve(failure);
    }
    function handle(event: BodyEvent): void {
      if (body === null) return;
      if (event === 'aborted') fail('aborted');
      else if (event === 'end') finish(body);
      else append(body, event);
    }
    function finish(received: Buffer): void {
      body = null;
      reservation.complete();
      const bytes = received.length === size ? received : received.subarray(0, size);
      resolve({ bytes, release: () => reservation.release() });
    }
    function append(received: Buffer, chunk: Buffer): void {
      const length = size + chunk.length;
      const capacity = capacityFor(received, length, maxBytes);
      if (length > maxBytes) fail('too large');
      else if (capacity !== received.length && !reservation.resize(capacity)) fail('no memory');
      // Most bodies have one chunk, which needs no copy.
      else body = size === 0 ? chunk : withChunk(received, size, chunk, capacity);
      size = length;
    }
    listen(handle);
  });
}

/**
 * The size of the buffer for a body that is this long so far. It doubles, so that a body in thousands of chunks, each of
 * which would be an object of its own, takes no more memory than in one.
 */
function capacityFor(received: Buffer, length: number, maxBytes: number): number {
  if (received.length === 0 || length <= received.length) return Math.max(length, received.length);
  return Math.min(maxBytes, Math.max(2 * received.length, length));
}

function withChunk(received: Buffer, size: number, chunk: Buffer, capacity: number): Buffer {
  const target = capacity === received.length ? received : Buffer.allocUnsafeSlow(capacity);
  if (target !== received) received.copy(target, 0, 0, size);
  chunk.copy(target, size);
  return target;
}

/**
 * A request that can pass its body to a callback instead of a stream. For a body of one chunk the stream costs an
 * eighth of Node's work for a request (`bench/README.md`). The price: it overrides `push` and `resume`, which Node's
 * HTTP parser and server call although no document promises it. `packages/platform/test/http/body.test.ts` compares it with a plain
 * `IncomingMessage`, so a Node release that changes these calls fails there; plain requests always work. Without
 * `redirectBody` it behaves like its base class.
 */
export class DirectRequest extends IncomingMessage {
  #handle: ((event: BodyEvent) => void) | undefined;

  /**
   * Sends the whole body to the callback. Returns false if the stream has already received a part; then read the
   * stream.
   */
  redirectBody(handle: (event: BodyEvent) => void): boolean {
    if (this.complete || this.readableLength > 0 || this.readableDidRead) return false;
    this.#handle = handle;
    return true;
  }

  override push(chunk: Buffer | null): boolean {
    if (this.#handle === undefined) return super.push(chunk);
    // The server of Deno pushes plain bytes.
    this.#handle(chunk === null || Buffer.isBuffer(chunk) ? (chunk ?? 'end') : Buffer.from(chunk));
    return true;
  }

  /** Node calls this after the response to discard unread data. A redirected body leaves no data in the stream. */
  override resume(): this {
    return this.#handle === undefined ? super.resume() : this;
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#handle?.('aborted');
    super._destroy(error, callback);
  }
}

/**
 * Memory of all bodies whose sender is not verified yet (bytes). Half a thousand of the largest bodies: senders that do
 * not complete their requests must not use up the memory of a small container.
 */
export const maxUnverifiedBytes = 32 * 1024 * 1024;

/** When a sender should retry whose body did not fit (seconds). */
export const memoryRetryAfterSeconds = 5;

/**
 * The memory that the unverified bodies of all routes share. When there is no room, the bodies that have been incomplete
 * for the longest time are evicted: those of ordinary senders arrive within milliseconds, so deliveries are received
 * while somebody keeps thousands of requests unfinished.
 */
export class BodyMemory {
  readonly #maxBytes: number;
  readonly #incomplete = new SlotMap<Reservation>();
  #used = 0;
  #opened = 0;

  constructor(maxBytes = maxUnverifiedBytes) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes of all bodies at present. */
  get used(): number {
    return this.#used;
  }

  /** Adds a body without a size. @param evict ends the body: its memory is needed, and is already freed */
  open(evict: () => void): Reservation {
    this.#opened += 1;
    const reservation = new Reservation(this, this.#opened, evict);
    reservation.slot = this.#incomplete.add(reservation);
    return reservation;
  }

  /** @internal */
  take(bytes: number, reservation: Reservation): boolean {
    if (this.#used + bytes > this.#maxBytes) this.#evictFor(bytes, reservation);
    if (this.#used + bytes > this.#maxBytes) return false;
    this.#used += bytes;
    return true;
  }

  /** @internal */
  free(bytes: number): void {
    this.#used -= bytes;
  }

  /** @internal */
  complete(reservation: Reservation): void {
    if (reservation.slot !== null) this.#incomplete.take(reservation.slot);
    reservation.slot = null;
  }

  #evictFor(bytes: number, reservation: Reservation): void {
    const others = this.#incomplete.values().filter((other) => other !== reservation && other.size > 0);
    for (const oldest of others.sort((a, b) => a.number - b.number)) {
      oldest.release();
      oldest.evict();
      if (this.#used + bytes <= this.#maxBytes) return;
    }
  }
}

/** The part of one body. */
class Reservation {
  /** The larger, the younger. */
  readonly number: number;
  readonly evict: () => void;
  size = 0;
  /** Among the incomplete bodies; null afterwards. */
  slot: number | null = null;
  readonly #memory: BodyMemory;
  #isReleased = false;

  constructor(memory: BodyMemory, number: number, evict: () => void) {
    this.#memory = memory;
    this.number = number;
    this.evict = evict;
  }

  /** Sets what the body takes (bytes). False if there is no room; then it takes what it took before. */
  resize(size: number): boolean {
    if (this.#isReleased || !this.#memory.take(size - this.size, this)) return false;
    this.size = size;
    return true;
  }

  /** The body has arrived: from now on it does not make room for others. */
  complete(): void {
    this.#memory.complete(this);
  }

  /** Frees its memory. Further calls do nothing. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#memory.complete(this);
    this.#memory.free(this.size);
  }
}

/**
 * Reserves memory for a body that a parser of Express reads, until the response is complete.
 * @param maxBytes what the parser accepts at most
 */
export function reserveBody(memory: BodyMemory, maxBytes: number): RequestHandler {
  return (request, response, next) => {
    const length = Number(request.headers['content-length'] ?? (request.headers['transfer-encoding'] ? maxBytes : 0));
    if (!(length > 0)) return next();
    const reservation = memory.open(() => reject(response));
    response.once('close', () => reservation.release());
    if (!reservation.resize(Math.min(length, maxBytes))) return reject(response);
    request.once('end', () => reservation.complete());
    next();
  };
}

function reject(response: Response): void {
  if (response.headersSent) return;
  response
    .status(503)
    .set({ 'retry-after': String(memoryRetryAfterSeconds), connection: 'close' })
    .json({ success: false, error: 'Too many unfinished requests. Send this one again.' });
}
