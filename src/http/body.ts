import { IncomingMessage } from 'node:http';
import { maxBodyBytes } from './max-body-bytes.ts';

type BodyEvent = Buffer | 'end' | 'aborted';

/**
 * Reads the raw bytes of a request up to `maxBytes`. Expected failures are values, not errors. A buffer in
 * `request.body` (from `express.raw()`) is used as is; after any other body parser the result is `consumed`, because
 * the raw bytes are lost.
 */
export function readBody(
  request: IncomingMessage & { body?: unknown },
  maxBytes = maxBodyBytes,
): Promise<Buffer | 'too large' | 'aborted' | 'consumed'> {
  if (Buffer.isBuffer(request.body)) {
    return Promise.resolve(request.body.length > maxBytes ? 'too large' : request.body);
  }
  // A parser loses nothing when it consumes an empty body.
  if (request.readableEnded && request.headers['content-length'] === '0') return Promise.resolve(Buffer.alloc(0));
  if (request.readableDidRead || request.readableEnded) return Promise.resolve('consumed');
  // The connection closed while an earlier middleware was running. No further event follows.
  if (request.destroyed) return Promise.resolve('aborted');
  if (Number(request.headers['content-length']) > maxBytes) return Promise.resolve('too large');

  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    function handle(event: BodyEvent): void {
      if (event === 'aborted') resolve('aborted');
      else if (event === 'end') resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
      else append(event);
    }
    function append(chunk: Buffer): void {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else resolve('too large');
    }
    if (request instanceof DirectRequest && request.redirectBody(handle)) return;
    request.on('data', handle);
    request.on('end', () => handle('end'));
    request.on('error', () => handle('aborted'));
    request.on('close', () => handle('aborted'));
  });
}

/**
 * A request that can pass its body to a callback instead of a stream. For a body of one chunk the stream costs an
 * eighth of Node's work for a request (`bench/README.md`). The price: it overrides `push` and `resume`, which Node's
 * HTTP parser and server call although no document promises it. `test/http/body.test.ts` compares it with a plain
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
