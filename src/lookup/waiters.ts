import { LookupError } from './lookup-error.ts';

/** The lookups that wait for one request. It is cancelled when all of them were aborted. */
export class Waiters {
  readonly #stop = new AbortController();
  #count = 0;

  /** Aborted when nobody waits any more. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Adds a lookup. Call the result when it has ended; one that ended otherwise than by its signal still wants the response. */
  join(signal: AbortSignal | undefined): () => void {
    this.#count += 1;
    const onAbort = () => {
      this.#count -= 1;
      if (this.#count === 0) this.#stop.abort(signal?.reason);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    return () => signal?.removeEventListener('abort', onAbort);
  }
}

/**
 * The result of a lookup; rejects with the reason of the signal as soon as that is aborted, as `fetch` does.
 * @throws LookupError `lookup_bad_parameter`
 */
export async function untilAborted<Value>(
  signal: AbortSignal | undefined,
  lookup: () => Promise<Value>,
): Promise<Value> {
  if (signal === undefined) return lookup();
  if (!(signal instanceof AbortSignal)) {
    throw new LookupError('lookup_bad_parameter', 'The signal must be an AbortSignal.');
  }
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([lookup(), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
