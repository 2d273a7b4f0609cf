import type { RequestHandler, Response } from 'express';
import { type BodyMemory, memoryRetryAfterSeconds } from './body-memory.ts';

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
