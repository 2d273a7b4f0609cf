import { minute, second } from '../../platform/durations.ts';
import type { ServiceListingKind } from '../listing/listing.ts';
import {
  type CheckContext,
  type ConformanceCheck,
  chosen,
  documented,
  type Exchange,
  failureIssue,
  requestWithKey,
  requireKey,
  SkipCheckError,
  statusIssue,
  type TestResponse,
} from './check.ts';
import { unknownUserId } from './endpoint-checks.ts';

/** The checks of the rate limit (document, section 8). They run last, because they use up the keys for a minute. */
export function limitChecks(): ConformanceCheck[] {
  let limited: TestResponse | null = null;
  let measured: Promise<number> | undefined;
  const accepted = (context: CheckContext): Promise<number> => {
    measured ??= measureLimit(context);
    return measured;
  };
  return [
    documented('7, 8', 'more than 120 requests in a minute with one key return 429', async (context) => {
      limited = await exhaustLimit(context, 'server');
      return limited === null ? 'no 429' : failureIssue(limited, 429);
    }),
    documented('8', 'each key has its own limit', async (context) =>
      statusIssue(await requestWithKey(context, 'bot', limitedPath), 200),
    ),
    documented('8', 'the first 120 requests in a minute do not return 429', async (context) => {
      const count = await accepted(context);
      return count < documentedLimit ? `429 after ${count}` : null;
    }),
    documented('8', 'no more than 120 requests in a minute are accepted', async (context) => {
      const count = await accepted(context);
      return count > documentedLimit ? `${count} accepted` : null;
    }),
    chosen('a 429 has a Retry-After in seconds', async () => {
      const seconds = limited?.headers.get('retry-after') ?? 'no Retry-After';
      return /^[1-9]\d?$/.test(seconds) ? null : seconds;
    }),
  ];
}

/** Requests per minute and key (document, section 8). */
const documentedLimit = 120;
/** The endpoint that both kinds of keys may use. */
const limitedPath = `/votes/${unknownUserId}`;

/**
 * Which responses count against the limit. The document says "all API endpoints", so other services may or may not count
 * failures, or requests that are for no endpoint.
 */
const countingRules: readonly ((status: number) => boolean)[] = [
  (status) => [200, 304, 400].includes(status),
  (status) => status === 200,
  () => true,
];

/** Sends requests until the first 429. Returns it, or null if there is none after twice the limit. */
async function exhaustLimit(context: CheckContext, kind: ServiceListingKind): Promise<TestResponse | null> {
  for (let sent = 0; sent <= 2 * documentedLimit; sent += 1) {
    const response = await requestWithKey(context, kind, limitedPath);
    if (response.status === 429) return response;
  }
  return null;
}

/**
 * How many requests of a key the service accepts in a minute. The key of the server must be exhausted; it may have made
 * requests that do not count. If the keys of server and bot, which have made different requests, agree on a number by
 * one of the rules, that is the limit. Otherwise (also for a token bucket, whose numbers depend on time) the server's
 * key pauses for a minute and then sends nothing but successful requests.
 * @throws SkipCheckError if the service has no limit, or there is no key of a server
 */
async function measureLimit(context: CheckContext): Promise<number> {
  const ofServer = countBeforeLimit(context, 'server');
  const ofBot = context.keys.bot === undefined ? null : await countAgain(context, 'bot');
  const agreed = ofServer.counts.filter((count, rule) => count === (ofBot?.counts[rule] ?? documentedLimit));
  if (agreed.includes(documentedLimit)) return documentedLimit;
  const [count] = agreed;
  if (ofBot !== null && count !== undefined && !(await isRefilled(context, 'bot'))) return count;

  await context.clock.sleep(minute + second);
  const first = await measureSuccessful(context);
  if (first <= documentedLimit) return first;
  // A fixed window accepts up to twice the limit across its end, which is not reached again one and a half windows later.
  await context.clock.sleep(1.5 * minute);
  return Math.min(first, await measureSuccessful(context));
}

interface Measurement {
  /** The requests in the minute before the 429, by each of the rules. */
  readonly counts: readonly number[];
  /** From the first of these requests to the 429 (ms). */
  readonly durationMs: number;
}

async function countAgain(context: CheckContext, kind: ServiceListingKind): Promise<Measurement> {
  const from = context.client.exchanges.length;
  if ((await exhaustLimit(context, kind)) === null) throw new SkipCheckError('no 429');
  return countBeforeLimit(context, kind, from);
}

/** @param from index of the exchange from which a 429 is searched */
function countBeforeLimit(context: CheckContext, kind: ServiceListingKind, from = 0): Measurement {
  const { exchanges } = context.client;
  const ownKey = requireKey(context, kind);
  const limited = exchanges.slice(from).find(({ key, response }) => key === ownKey && isLimited(response));
  if (limited === undefined) throw new SkipCheckError('no 429');
  const isBefore = ({ key, sentAt, response }: Exchange) =>
    key === ownKey && !isLimited(response) && sentAt > limited.sentAt - minute && sentAt <= limited.sentAt;
  const before = exchanges.filter(isBefore);
  return {
    counts: countingRules.map((isCounted) => before.filter(({ response }) => isCounted(response.status)).length),
    durationMs: limited.sentAt - (before[0]?.sentAt ?? limited.sentAt),
  };
}

/** Counts successful requests only. The server's key must have been unused for a minute. */
async function measureSuccessful(context: CheckContext): Promise<number> {
  const { counts, durationMs } = await countAgain(context, 'server');
  const count = Math.max(...counts);
  const maxRefill = Math.ceil((documentedLimit * durationMs) / minute);
  const mayBeRefill = count > documentedLimit && count <= documentedLimit + maxRefill;
  return mayBeRefill && (await isRefilled(context, 'server')) ? documentedLimit : count;
}

/** Whether a key that was used up is accepted again after a second, as by a token bucket. */
async function isRefilled(context: CheckContext, kind: ServiceListingKind): Promise<boolean> {
  await context.clock.sleep(second);
  return !isLimited(await requestWithKey(context, kind, limitedPath));
}

function isLimited({ status }: TestResponse): boolean {
  return status === 429;
}
