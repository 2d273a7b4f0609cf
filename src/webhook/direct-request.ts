import { IncomingMessage } from 'node:http';

/** Takes a body as it arrives, at last null: it has come whole. */
type TakeBody = (chunk: Buffer | null) => void;

/**
 * A request whose body can go straight to whoever wants it. Node's server pushes what it reads into the request, which makes a stream of
 * it; for a body of one chunk that costs an eighth of all that Node does for a request (`bench/README.md`). As long as nobody asks for
 * the body in this way it is a request like any other.
 */
export class DirectRequest extends IncomingMessage {
  #take: TakeBody | undefined;

  /** From now on nothing of the body goes through the stream. False where some of it has: then the stream is to be read. */
  handBodyTo(take: TakeBody): boolean {
    if (this.complete || this.readableLength > 0 || this.readableDidRead) return false;
    this.#take = take;
    return true;
  }

  override push(chunk: Buffer | null): boolean {
    if (this.#take === undefined) return super.push(chunk);
    this.#take(chunk);
    return true;
  }
}
