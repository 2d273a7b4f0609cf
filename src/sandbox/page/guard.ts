import type { IncomingMessage } from 'node:http';
import { isOwnHost } from '../../web/host.ts';

/**
 * Only our own files may be loaded. Avatars are drawn by the page itself, as `data:` pictures, and the elements of Discord's look
 * carry colors in style attributes; a whole stylesheet or a script must come from a file.
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

/** Sent with everything: nothing comes from elsewhere, nobody may frame the page, and nothing is kept. */
export const securityHeaders = {
  'Content-Security-Policy': contentSecurityPolicy.join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/**
 * Whether a request comes from the page itself. The name it was sent to must be this machine's. What changes something must carry our
 * own Origin and JSON, which no other site can make a browser send.
 */
export function isSameOrigin(request: IncomingMessage): boolean {
  const { host } = request.headers;
  if (!isOwnHost(host)) return false;
  if (request.method === 'GET' || request.method === 'HEAD') return true;
  const isJson = /^application\/json\b/.test(request.headers['content-type'] ?? '');
  return isJson && request.headers.origin === `http://${host}`;
}
