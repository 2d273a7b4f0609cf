import { minute, second } from '../../platform/durations.ts';
import type { ServiceListingKind } from '../listing/listing.ts';
import {
  type CheckContext,
  type ConformanceCheck,
  failureIssue,
  requestWithKey,
  requireKey,
  SkipCheckError,
  statusIssue,
} from './check.ts';
import { unknownUserId } from './endpoint-checks.ts';
import type { TestClient, TestResponse } from './test-client.ts';

const limit = 120;
const path = `/votes/${unknownUserId}`;

/** Statuses of requests that the service rejected because of the key, the limit or the path. */
const rejectedStatuses: readonly number[] = [401, 404, 405, 429];

/** The checks of the rate limit (document, section 8). They run last, because they use up the keys for a minute. */
export function limitChecks(): ConformanceCheck[] {
  let limited: TestResponse | null = null;
  return [
    {
      section: '7, 8',
      line: 'more than 120 requests in a minute with one key return 429',
      source: 'document',
      run: async (context) => {
        limited = await exhaustLimit(context, 'server');
        return limited === null ? 'no 429' : failureIssue(limited, 429);
      },
    },
    {
      section: '8',
      line: 'the first 120 requests in a minute do not return 429',
      source: 'document',
      run: async (context) => {
        const count = countBeforeLimit(context.client, requireKey(context, 'server'));
        if (count === null) throw new SkipCheckError('no 429');
        return count < limit ? `429 after ${count}` : null;
      },
    },
    {
      section: '8',
      line: 'each key has its own limit',
      source: 'document',
      run: async (context) => statusIssue(await requestWithKey(context, 'bot', path), 200),
    },
    {
      section: '8',
      line: 'no more than 120 requests in a minute are accepted',
      source: 'document',
      run: async (context) => {
        if (limited === null) throw new SkipCheckError('no 429');
        const firstExcess = excessRequests(context, 'server');
        return firstExcess === null ? null : repeatedExcess(context, firstExcess);
      },
    },
    {
      section: 'silent',
      line: 'exactly 120 requests are accepted in any 60 seconds',
      source: 'choice',
      run: async (context) => {
        const { count } = countAccepted(context, 'server');
        return count === limit ? null : `${count} accepted`;
      },
    },
    {
      section: 'silent',
      line: 'a 429 has a Retry-After in seconds',
      source: 'choice',
      run: async () => {
        const seconds = limited?.headers.get('retry-after') ?? 'no Retry-After';
        return /^[1-9]\d?$/.test(seconds) ? null : seconds;
      },
    },
  ];
}

/** Sends requests until the first 429; null if there is none after twice the limit. */
async function exhaustLimit(context: CheckContext, kind: ServiceListingKind): Promise<TestResponse | null> {
  for (let sent = 0; sent <= 2 * limit; sent += 1) {
    const response = await requestWithKey(context, kind, path);
    if (response.status === 429) return response;
  }
  return null;
}

/**
 * Describes the accepted requests of the last minute if there were too many, else null. A token bucket may refill
 * meanwhile.
 */
function excessRequests(context: CheckContext, kind: ServiceListingKind): string | null {
  const { count, durationMs } = countAccepted(context, kind);
  const maxCount = limit + Math.ceil((limit * durationMs) / minute);
  return count <= maxCount ? null : `${count} in ${Math.ceil(durationMs / second)} s`;
}

/**
 * The document does not define the window. A fixed window accepts up to twice the limit across its boundary. That
 * cannot happen again immediately with another key, nor one and a half windows later.
 */
async function repeatedExcess(context: CheckContext, firstExcess: string): Promise<string | null> {
  const kind = context.keys.bot === undefined ? 'server' : 'bot';
  if (kind === 'server') await context.clock.sleep(1.5 * minute);
  await exhaustLimit(context, kind);
  const secondExcess = excessRequests(context, kind);
  return secondExcess === null ? null : `${firstExcess}, then ${secondExcess}`;
}

/**
 * The number of accepted requests of the last minute with a key, and the duration in which it was used (ms).
 * @throws SkipCheckError
 */
function countAccepted(context: CheckContext, kind: ServiceListingKind): { count: number; durationMs: number } {
  const key = requireKey(context, kind);
  const since = context.clock.monotonic() - minute;
  const ofKey = context.client.exchanges.filter((exchange) => exchange.key === key && exchange.sentAt > since);
  const accepted = ofKey.filter(({ response }) => !rejectedStatuses.includes(response.status));
  const durationMs = (ofKey.at(-1)?.sentAt ?? 0) - (accepted[0]?.sentAt ?? 0);
  return { count: accepted.length, durationMs: Math.max(0, durationMs) };
}

/**
 * The number of requests with this key in the minute before the first 429, or null if there was none. All requests are
 * counted, because the document does not define which of them count against the limit.
 */
function countBeforeLimit({ exchanges }: TestClient, key: string): number | null {
  const ofKey = exchanges.filter((exchange) => exchange.key === key);
  const limitedIndex = ofKey.findIndex(({ response }) => response.status === 429);
  const limited = ofKey[limitedIndex];
  if (limited === undefined) return null;
  return ofKey.slice(0, limitedIndex).filter(({ sentAt }) => sentAt > limited.sentAt - minute).length;
}
