import type { ErrorRequestHandler, Request } from 'express';
import { messageOf } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { ApiError, refusalOf } from './api-error.ts';

/** @throws Refusal 405 */
export function onlyGet(request: Request): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  throw new ApiError(405, 'This API is read-only: use GET.', { Allow: 'GET, HEAD' });
}

/** The one place where a failure becomes an answer. What nobody foresaw is logged whole and told as nothing. */
export function refuse(log: Log): ErrorRequestHandler {
  return (thrown: unknown, _request, response, _next) => {
    const refusal = refusalOf(thrown);
    if (refusal instanceof ApiError) {
      response.status(refusal.status).set(refusal.headers).json({ success: false, error: refusal.message });
      return;
    }
    log.error(
      { error: messageOf(thrown), stack: thrown instanceof Error ? thrown.stack : undefined },
      'request failed',
    );
    response.status(500).json({ success: false, error: 'Unexpected error. Please try again later.' });
  };
}
