import type { IncomingMessage } from 'node:http';
import { isOwnHost } from '../../platform/web/host.ts';

/**
 * Only our own files may be loaded. Avatars are generated as `data:` images, and the Discord components use style attributes for
 * colors; stylesheets and scripts must come from files.
 */
const contentSecurityPolicy = [
  "default-src 'self'",
  "img-src 'self' data:",
  "style-src-attr 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
];

/** Sent with every response: no external resources, no framing, no caching. */
export const pageSecurityHeaders = {
  'Content-Security-Policy': contentSecurityPolicy.join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/**
 * Whether a request comes from the page itself. The Host header must name this machine. Requests that change state must have our own
 * Origin and a JSON content type, which another site cannot make a browser send.
 */
export function isSameOrigin(request: IncomingMessage): boolean {
  const { host } = request.headers;
  if (!isOwnHost(host)) return false;
  if (request.method === 'GET' || request.method === 'HEAD') return true;
  const isJson = /^application\/json\b/.test(request.headers['content-type'] ?? '');
  return isJson && request.headers.origin === `http://${host}`;
}
