import { TallyhookError } from '@tallyhook/platform/errors';
import { type JsonResponse, rejectionResponse } from './response.ts';

/** A `Request` apart from its body, in the shape of a request of Node. @throws TallyhookError `invalid_options` */
export function readHead(request: Request) {
  checkRequest(request);
  const { protocol, pathname } = new URL(request.url);
  const socket = protocol === 'https:' ? { encrypted: true } : {};
  return { method: request.method, headers: Object.fromEntries(request.headers), socket, pathname };
}

export function toWebResponse(status: number, { text, headers }: JsonResponse): Response {
  const pairs = Array.from({ length: headers.length / 2 }, (_, place) => headers.slice(2 * place, 2 * place + 2));
  return new Response(text, { status, headers: pairs as [string, string][] });
}

const unknownAddress =
  'No webhook has this address. Its path has to end in /webhooks/vote, /webhooks/premium, /webhooks or /webhooks/NAME, ' +
  'with the name of a listing.';

export function notFound(): Response {
  return toWebResponse(404, rejectionResponse({ status: 404, error: unknownAddress }));
}

/** Callers without a type checker may pass something else. @throws TallyhookError `invalid_options` */
function checkRequest(request: unknown): void {
  const isObject = typeof request === 'object' && request !== null;
  const isRequest = isObject && 'headers' in request && 'url' in request && URL.canParse(String(request.url));
  if (
    isRequest &&
    request.headers !== null &&
    typeof request.headers === 'object' &&
    Symbol.iterator in request.headers
  )
    return;
  const hint =
    isObject && 'raw' in request
      ? 'Pass the property raw of it, as in fetch(c.req.raw) with Hono.'
      : 'With a request of Node, Express or Fastify call node(request, response).';
  throw new TallyhookError('invalid_options', 'The argument of fetch is not a Request.', { hint });
}
