/**
 * A request was not sent, or was a probe that failed: Discord rejects everything for this channel or role until somebody
 * changes it there.
 */
export class CircuitOpenError extends Error {
  /** What Discord rejects: the id of a channel, or `role <guild> <role>`. */
  readonly target: string;
  /** Until another request may be sent (ms). */
  readonly retryAfterMs: number;
  /** It was deleted, so waiting is in vain. */
  readonly isFinal: boolean;

  /** @param options.cause Discord's error, if a request was sent */
  constructor(target: string, options: { reason: string; retryAfterMs: number; isFinal: boolean; cause?: unknown }) {
    super(options.reason, { cause: options.cause });
    this.name = 'CircuitOpenError';
    this.target = target;
    this.retryAfterMs = options.retryAfterMs;
    this.isFinal = options.isFinal;
  }
}
