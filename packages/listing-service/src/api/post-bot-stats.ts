import type { IncomingMessage } from 'node:http';
import { type BodyMemory, memoryRetryAfterSeconds, readBody } from '@tallyhook/platform/http/body';
import { parseJson } from '@tallyhook/platform/json';
import type { Listing } from '../listing/listing.ts';
import type { Database } from '../storage/database.ts';
import { updateFacts } from '../storage/listings/listings.ts';
import { ApiError } from './api-error.ts';
import { botStats } from './operations.ts';

const maxBytes = 1_024;

/** Stores what a bot says of itself. @throws ApiError 400, 413 or 503 */
export async function postBotStats(
  request: IncomingMessage,
  listing: Listing,
  { database, memory }: { readonly database: Database; readonly memory: BodyMemory },
) {
  const { serverCount, shardCount } = await readStats(request, memory);
  const changes = { servers: serverCount, ...(shardCount !== undefined && { shards: shardCount }) };
  const stored = await database.transaction().execute((sql) => updateFacts(sql, listing.id, 'bot', changes));
  if (stored === null) throw new ApiError(401, 'The API key is invalid.');
  return { data: { serverCount: stored.facts.servers, shardCount: stored.facts.shards } };
}

async function readStats(request: IncomingMessage, memory: BodyMemory) {
  const body = await readBody(request, memory, maxBytes);
  if (body === 'too large') throw new ApiError(413, `The body has more than ${maxBytes} bytes.`);
  if (body === 'no memory') {
    const headers = { 'Retry-After': String(memoryRetryAfterSeconds) };
    throw new ApiError(503, 'Too many unfinished requests. Send this one again.', headers);
  }
  if (typeof body === 'string') throw new ApiError(400, 'The body ended early.');
  body.release();
  const parsed = botStats.body.safeParse(parseJson(body.bytes.toString('utf8')));
  if (parsed.success) return parsed.data;
  throw new ApiError(400, parsed.error.issues[0]?.message ?? '');
}
