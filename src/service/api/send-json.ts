import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** @param headers names and values in turn */
export function sendJson(response: ServerResponse, status: number, headers: readonly string[], content: object): void {
  send(response, status, headers, JSON.stringify(content));
}

/**
 * Sends 200 with a weak entity tag, or 304 if the client has this content already.
 * @param headers names and values in turn
 */
export function sendResource(
  request: IncomingMessage,
  response: ServerResponse,
  headers: readonly string[],
  content: object,
): void {
  const body = JSON.stringify(content);
  const etag = `W/"${body.length.toString(16)}-${hash('sha1', body, 'base64url')}"`;
  if (isKnown(request, etag)) response.writeHead(304, [...headers, 'ETag', etag]).end();
  else send(response, 200, [...headers, 'ETag', etag], body);
}

function send(response: ServerResponse, status: number, headers: readonly string[], body: string): void {
  const length = String(Buffer.byteLength(body));
  response.writeHead(status, [...headers, 'Content-Type', 'application/json; charset=utf-8', 'Content-Length', length]);
  response.end(body);
}

/** Whether the client has this content (RFC 9110, section 13.1.2) and does not ask for a new response. */
function isKnown({ headers }: IncomingMessage, etag: string): boolean {
  const known = headers['if-none-match'];
  if (known === undefined || headers['cache-control']?.includes('no-cache')) return false;
  if (known === etag || known.trim() === '*') return true;
  return known.split(',').some((each) => each.trim().replace(/^W\//, '') === etag.slice('W/'.length));
}
