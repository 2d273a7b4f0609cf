import { z } from 'zod';
import { second } from '../durations.ts';

/**
 * A request failed. `revoked`: the member has withdrawn the permission, or the code or token was used before.
 * `rateLimited`: with the delay that Discord requires (ms). `unavailable`: no response, or a 5xx. `rejected`: any other
 * error response. The message contains no token.
 */
export class OAuthError extends Error {
  readonly reason: 'revoked' | 'rateLimited' | 'unavailable' | 'rejected';
  readonly retryAfterMs: number | null;

  constructor(reason: OAuthError['reason'], message: string, retryAfterMs: number | null = null) {
    super(message);
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}

const errorBody = z.object({ error: z.string().optional(), retry_after: z.number().nonnegative().optional() });

/**
 * @param name of the request, for the message
 * @param response `body`: parsed JSON, undefined for any other; `retryAfter`: the header, which Discord's proxy sends
 *   without JSON
 */
export function errorOfResponse(
  name: string,
  response: { readonly status: number; readonly body: unknown; readonly retryAfter: string | null },
): OAuthError {
  const { status } = response;
  const { error = '', retry_after: retryAfter } = errorBody.safeParse(response.body).data ?? {};
  const message = `${name}: ${status}`;
  if (status === 429) {
    const seconds = retryAfter ?? Number.parseFloat(response.retryAfter ?? '');
    return new OAuthError('rateLimited', message, (seconds >= 0 ? seconds : 1) * second);
  }
  if (status >= 500) return new OAuthError('unavailable', message);
  // Also a 401: the member has not withdrawn anything.
  if (error === 'invalid_client') return new OAuthError('rejected', `${message} invalid client secret`);
  if (status === 401 || error === 'invalid_grant') return new OAuthError('revoked', message);
  return new OAuthError('rejected', message);
}
