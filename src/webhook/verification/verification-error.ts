import type { VerificationErrorCode } from '@tallyhook/platform/error-codes';
import { TallyhookError } from '@tallyhook/platform/errors';
import { rejections } from '../rejections.ts';

/** Mistakes that only a caller of `verify` can make, and deliveries that the receiver stores instead of rejecting them. */
const ownDefinitions = {
  /** No secret was passed, or only empty ones. Nothing is accepted without a secret. */
  webhook_secret_missing: { status: 401, message: 'No webhook secret is configured.' },
  /** The body was read before, or was not passed. */
  webhook_body_unavailable: { status: 503, message: 'The body of the delivery is not available.' },
  /**
   * The delivery is genuine, but not understood: an unknown kind of event, or an invalid field. The status is 200,
   * because the service would only repeat it.
   */
  webhook_unprocessable: { status: 200, message: 'The delivery is genuine, but cannot be processed' },
  /** The delivery is genuine, but older than `maxAgeMs`, or its age is not known. A repeat would only be older. */
  webhook_too_old: { status: 200, message: 'The delivery is genuine, but too old' },
} as const;

const definitions = { ...rejections, ...ownDefinitions } satisfies Readonly<Record<VerificationErrorCode, object>>;

/** Hints for the developer, if the message does not say what to do. */
const hints: Partial<Record<VerificationErrorCode, string>> = {
  webhook_secret_missing: 'Pass the secret of the webhook from the dashboard; the variable may be empty.',
  webhook_body_unavailable:
    'Pass the request before its body is read (or a clone of it), or { headers, body }. ' +
    'In Express, use express.raw({ type: () => true }).',
  webhook_body_encoded: 'Decompress nothing before it is verified: the service sends plain JSON.',
  webhook_signature_missing: 'Pass the headers of the request as they were received.',
  webhook_signature_mismatch:
    'Pass the body as it was received. A parsed body is only accepted if the service signed the same layout of it.',
  webhook_wrong_family: 'Pass the secrets of both kinds of webhooks: { vote, premium }.',
  webhook_unprocessable: 'Keep the property raw of this error: a later version may read it.',
  webhook_too_old: 'Raise maxAgeMs if the service repeats it for that long; the property raw has the body.',
};

/**
 * A delivery that was not accepted. The message contains neither a secret nor a part of the body, so it may be sent to
 * the sender.
 *
 * @example
 * ```ts
 * import { VerificationError, verify } from 'tallyhook/verify';
 *
 * async function respond(request: Request): Promise<Response> {
 *   try {
 *     const event = await verify(request, 'the secret of the webhook');
 *     return Response.json(event);
 *   } catch (error) {
 *     if (error instanceof VerificationError) return new Response(error.message, { status: error.status });
 *     throw error;
 *   }
 * }
 * ```
 */
export class VerificationError extends TallyhookError {
  declare readonly code: VerificationErrorCode;
  /**
   * The status with which the receiver responds to such a delivery: 401 without a valid signature, 400, 405, 413 or 415
   * for a malformed one, 503 for one that should be sent again, and 200 for a genuine one that is not understood or too old.
   */
  readonly status: (typeof definitions)[VerificationErrorCode]['status'];

  readonly #raw: string | null;

  /** @param details.reason continues the message, `details.message` replaces it */
  constructor(
    code: VerificationErrorCode,
    { reason, raw = null, ...details }: { reason?: string; message?: string; raw?: string | null } = {},
  ) {
    const { status } = definitions[code];
    const { message = definitions[code].message } = details;
    const hint = hints[code];
    super(code, reason === undefined ? message : `${message}: ${reason}.`, hint === undefined ? {} : { hint });
    this.status = status;
    this.#raw = raw;
  }

  /**
   * The text of the body of a genuine delivery (`webhook_unprocessable` and `webhook_too_old`), to keep it; otherwise null. Loggers
   * do not print it.
   */
  get raw(): string | null {
    return this.#raw;
  }
}
