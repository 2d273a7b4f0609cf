import type { RequestHandler, Response } from 'express';

/**
 * Memory of all bodies whose sender is not verified yet (bytes). Half a thousand of the largest bodies: senders that do
 * not complete their requests must not use up the memory of a small container.
 */
export const maxUnverifiedBytes = 32 * 1024 * 1024;

/** When a sender should retry whose body did not fit (seconds). */
export const memoryRetryAfterSeconds = 5;

/** The part of one body. */
export interface BodyReservation {
  /** Sets what the body takes (bytes). False if there is no room; then it takes what it took before. */
  resize(size: number): boolean;
  /** The body has arrived: from now on it does not make room for others. */
  complete(): void;
  /** Frees its memory. Further calls do nothing. */
  release(): void;
}

/**
 * The memory that the unverified bodies of all routes share. When there is no room, the bodies that have been incomplete
 * for the longest time are evicted: those of ordinary senders arrive within milliseconds, so deliveries are received
 * while somebody keeps thousands of requests unfinished.
 */
export class BodyMemory {
  readonly #maxBytes: number;
  /** Oldest first. */
  readonly #incomplete = new Set<Reservation>();
  #used = 0;

  constructor(maxBytes = maxUnverifiedBytes) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes of all bodies at present. */
  get used(): number {
    return this.#used;
  }

  /** Adds a body without a size. @param evict ends the body: its memory is needed, and is already freed */
  open(evict: () => void): BodyReservation {
    const reservation = new Reservation(this, evict);
    this.#incomplete.add(reservation);
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
    this.#incomplete.delete(reservation);
  }

  #evictFor(bytes: number, reservation: Reservation): void {
    for (const oldest of this.#incomplete) {
      if (oldest === reservation || oldest.size === 0) continue;
      oldest.release();
      oldest.evict();
      if (this.#used + bytes <= this.#maxBytes) return;
    }
  }
}

class Reservation implements BodyReservation {
  readonly evict: () => void;
  size = 0;
  readonly #memory: BodyMemory;
  #isReleased = false;

  constructor(memory: BodyMemory, evict: () => void) {
    this.#memory = memory;
    this.evict = evict;
  }

  resize(size: number): boolean {
    if (this.#isReleased || !this.#memory.take(size - this.size, this)) return false;
    this.size = size;
    return true;
  }

  complete(): void {
    this.#memory.complete(this);
  }

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
