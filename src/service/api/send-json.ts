import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { memoizeOne } from '../../platform/memoize.ts';

/** @param headers names and values in turn */
export function sendJson(response: ServerResponse, status: number, headers: readonly string[], content: object): void {
  const body = JSON.stringify(content);
  send(response, status, headers, { body, length: String(Buffer.byteLength(body)) });
}

interface Representation {
  readonly body: string;
  readonly length: string;
  readonly etag: string;
}

/** Content that is the same object as before is not serialized again. */
const representationOf = memoizeOne((content: object): Representation => {
  const body = JSON.stringify({ success: true, ...content });
  const etag = `W/"${body.length.toString(16)}-${hash('sha1', body, 'base64url')}"`;
  return { body, length: String(Buffer.byteLength(body)), etag };
});

/**
 * Sends 200 in the success envelope with a weak entity tag, or 304 if the client has this content already.
 * @param headers names and values in turn
 * @param content must not be changed afterwards
 */
export function sendResource(
  request: IncomingMessage,
  response: ServerResponse,
  headers: readonly string[],
  content: object,
): void {
  const { body, length, etag } = representationOf(content);
  if (isKnown(request, etag)) response.writeHead(304, [...headers, 'ETag', etag]).end();
  else send(response, 200, [...headers, 'ETag', etag], { body, length });
}

function send(
  response: ServerResponse,
  status: number,
  headers: readonly string[],
  { body, length }: Pick<Representation, 'body' | 'length'>,
): void {
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
