import { IncomingMessage } from 'node:http';
import type { BodyMemory } from './body-memory.ts';
import { maxBodyBytes } from './max-body-bytes.ts';

const emptyBody = Buffer.alloc(0);

type BodyEvent = Buffer | 'end' | 'aborted';

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
  maxBytes = maxBodyBytes,
): Promise<UnverifiedBody | BodyFailure> {
  return Promise.resolve(earlierBody(request, maxBytes) ?? receiveBody(request, memory, maxBytes));
}

/** What is known before the body is read; null if it must be read. */
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
    if (request instanceof DirectRequest && request.redirectBody(handle)) return;
    request.on('data', handle);
    request.on('end', () => handle('end'));
    request.on('error', () => handle('aborted'));
    request.on('close', () => handle('aborted'));
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
 * HTTP parser and server call although no document promises it. `test/platform/http/body.test.ts` compares it with a plain
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
    this.#handle(chunk ?? 'end');
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
