import type { IncomingMessage } from 'node:http';
import { type BodyPart, DirectRequest } from './direct-request.ts';

/** The largest body that is read (bytes). Deliveries are a few hundred; nothing that anybody sends in good faith comes near. */
export const maxBodyBytes = 64 * 1024;

/**
 * Reads the raw bytes of a request, once, up to {@link maxBodyBytes}. `too large` and `aborted` are values: both are foreseen.
 * A parser in front of it may have kept the bytes (`express.raw()` does) or not; without them there is nothing to verify.
 */
export function readBody(
  request: IncomingMessage & { body?: unknown },
): Promise<Buffer | 'too large' | 'aborted' | 'consumed'> {
  if (Buffer.isBuffer(request.body)) {
    return Promise.resolve(request.body.length > maxBodyBytes ? 'too large' : request.body);
  }
  // Of an empty body nothing can have been lost.
  if (request.readableEnded && request.headers['content-length'] === '0') return Promise.resolve(Buffer.alloc(0));
  if (request.readableDidRead || request.readableEnded) return Promise.resolve('consumed');
  // Its sender left while something in front of us took its time; it has closed, and will say nothing more.
  if (request.destroyed) return Promise.resolve('aborted');
  if (Number(request.headers['content-length']) > maxBodyBytes) return Promise.resolve('too large');

  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    function take(part: BodyPart): void {
      if (part === 'aborted') resolve('aborted');
      else if (part === 'whole') resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
      else keep(part);
    }
    function keep(chunk: Buffer): void {
      size += chunk.length;
      if (size <= maxBodyBytes) chunks.push(chunk);
      else resolve('too large');
    }
    if (request instanceof DirectRequest && request.handBodyTo(take)) return;
    request.on('data', take);
    request.on('end', () => take('whole'));
    request.on('error', () => take('aborted'));
    request.on('close', () => take('aborted'));
  });
}
