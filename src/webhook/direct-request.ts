import { IncomingMessage } from 'node:http';

/** What there is to be said of a body that arrives: some more of it, that it has come whole, or that its sender has gone. */
export type BodyPart = Buffer | 'whole' | 'aborted';

/**
 * A request whose body can go straight to whoever wants it. Node's server pushes what it reads into the request, which makes a stream of
 * it; for a body of one chunk that costs an eighth of all that Node does for a request (`bench/README.md`). As long as nobody asks for
 * the body in this way it is a request like any other.
 */
export class DirectRequest extends IncomingMessage {
  #take: ((part: BodyPart) => void) | undefined;

  /** From now on nothing of the body goes through the stream. False where some of it has: then the stream is to be read. */
  handBodyTo(take: (part: BodyPart) => void): boolean {
    if (this.complete || this.readableLength > 0 || this.readableDidRead) return false;
    this.#take = take;
    return true;
  }

  override push(chunk: Buffer | null): boolean {
    if (this.#take === undefined) return super.push(chunk);
    this.#take(chunk ?? 'whole');
    return true;
  }

  /** Node lets what is left of a request flow away once it is answered; here nothing ever waits to flow. */
  override resume(): this {
    return this.#take === undefined ? super.resume() : this;
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#take?.('aborted');
    super._destroy(error, callback);
  }
}
