import type { Tracing } from '@tallyhook/platform/tracing/tracing';
import type { RequestHead } from './intake.ts';
import type { Keyring } from './keyring.ts';

/**
 * Handles a delivery in a span. A `traceparent` of the sender becomes a link, not the parent: anyone can send one, and
 * must decide neither which traces are recorded nor to which they belong.
 * @param route the path with parameters instead of their values
 */
export function traceDelivery<Response extends { readonly status: number }>(
  tracing: Tracing,
  request: RequestHead,
  route: string,
  handle: () => Promise<Response | null>,
): Promise<Response | null> {
  const traceparent = request.headers['traceparent'];
  const method = request.method === 'POST' ? 'POST' : '_OTHER';
  const attributes = {
    'http.request.method': method,
    'http.route': route,
    'url.path': route,
    'url.scheme': 'encrypted' in request.socket ? 'https' : 'http',
  };
  const links = typeof traceparent === 'string' ? [traceparent] : [];
  const name = `${method === 'POST' ? method : 'HTTP'} ${route}`;
  return tracing.span(name, { kind: 'server', parent: null, attributes, links }, async (span) => {
    const response = await handle();
    if (response === null) {
      span.fail('aborted');
      return null;
    }
    const { status } = response;
    span.set({ 'http.response.status_code': status });
    if ('outcome' in response) span.set({ 'tallyhook.outcome': String(response.outcome) });
    if (status >= 500) span.fail(String(status));
    return response;
  });
}

/** A keyring with a span for the search for the secret of a signature. */
export function traceKeyring<Listing>(keyring: Keyring<Listing>, tracing: Tracing): Keyring<Listing> {
  return {
    ...keyring,
    verify: (...args) =>
      tracing.span('verify signature', { kind: 'internal' }, async (span) => {
        const verified = await keyring.verify(...args);
        span.set({ 'tallyhook.verified': verified === 'busy' ? 'busy' : verified !== null });
        return verified;
      }),
  };
}
