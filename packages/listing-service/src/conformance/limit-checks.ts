import { minute, second } from '@tallyhook/platform/durations';
import {
  type CheckContext,
  type ConformanceCheck,
  chosen,
  documented,
  failureIssue,
  requestWithKey,
  requireKey,
  SkipCheckError,
  statusIssue,
  type TestResponse,
} from './check.ts';
import { unknownUserId } from './endpoint-checks.ts';

/** The checks of the rate limit (document, section 8). They run last, because they use up the key of the server. */
export function limitChecks(): ConformanceCheck[] {
  let measured: Promise<Measurement> | undefined;
  const measure = (context: CheckContext): Promise<Measurement> => {
    measured ??= measureLimit(context);
    return measured;
  };
  /** @throws SkipCheckError if the service has no limit */
  const measureAccepted = async (context: CheckContext): Promise<number> => {
    const { accepted, rejection } = await measure(context);
    if (rejection === null) throw new SkipCheckError('no 429');
    return accepted;
  };
  return [
    documented('7, 8', 'more than 120 requests in a minute with one key return 429', async (context) => {
      const { rejection } = await measure(context);
      return rejection === null ? 'no 429' : failureIssue(rejection, 429);
    }),
    documented('8', 'each key has its own limit', async (context) =>
      statusIssue(await requestWithKey(context, 'bot', limitedPath), 200),
    ),
    documented('8', 'the first 120 requests in a minute do not return 429', async (context) => {
      const count = await measureAccepted(context);
      return count < documentedLimit ? `429 after ${count}` : null;
    }),
    documented('8', 'no more than 120 requests in a minute are accepted', async (context) => {
      const count = await measureAccepted(context);
      return count > documentedLimit ? `${count} accepted` : null;
    }),
    chosen('a 429 has a Retry-After in seconds', async (context) => {
      const seconds = (await measure(context)).rejection?.headers.get('retry-after') ?? 'no Retry-After';
      return /^[1-9]\d?$/.test(seconds) ? null : seconds;
    }),
  ];
}

/** Requests per minute and key (document, section 8). */
const documentedLimit = 120;
/** After this time without a request, a key has its whole limit (ms). */
export const limitWindowMs = minute + second;
/** The endpoint that both kinds of keys may use. */
const limitedPath = `/votes/${unknownUserId}`;
/** Requests in flight, so that a distant service, too, receives more than the limit within a minute. */
const maxParallel = 4;

interface Measurement {
  readonly accepted: number;
  /** The first 429; null if there was none after twice the limit. */
  readonly rejection: TestResponse | null;
}

/**
 * How many successful requests of the server's key the service accepts in a minute. The key pauses for a minute before,
 * because services may count failed requests or not: the document says "all API endpoints".
 */
async function measureLimit(context: CheckContext): Promise<Measurement> {
  requireKey(context, 'server');
  await context.clock.sleep(limitWindowMs);
  const first = await countAccepted(context);
  if (first.rejection === null || first.accepted <= documentedLimit) return first;
  // A fixed window accepts up to twice the limit across its end, which is not reached again one and a half windows later.
  await context.clock.sleep(1.5 * minute);
  const second = await countAccepted(context);
  return second.accepted < first.accepted ? second : first;
}

/** Sends requests until the first 429. @throws SkipCheckError if that does not show the limit */
async function countAccepted(context: CheckContext): Promise<Measurement> {
  const startedAt = context.clock.monotonic();
  const rejections: TestResponse[] = [];
  let accepted = 0;
  const send = async () => {
    while (rejections.length === 0 && accepted <= 2 * documentedLimit) {
      const response = await requestWithKey(context, 'server', limitedPath);
      if (response.status === 200) accepted += 1;
      else if (isLimited(response)) rejections.push(response);
      else throw new SkipCheckError(`status ${response.status} among the requests that were counted`);
    }
  };
  await Promise.all(Array.from({ length: maxParallel }, send));
  const elapsedMs = context.clock.monotonic() - startedAt;
  if (elapsedMs >= minute) throw new SkipCheckError('the requests took more than a minute');
  const isBucket = await isRefilled(context, accepted, elapsedMs);
  return { accepted: isBucket ? documentedLimit : accepted, rejection: rejections[0] ?? null };
}

/**
 * True if a service that accepted more than the limit has a token bucket: it refills while it is used, and accepts a key
 * that was used up again after a second.
 */
async function isRefilled(context: CheckContext, accepted: number, elapsedMs: number): Promise<boolean> {
  const maxRefill = Math.floor((documentedLimit * elapsedMs) / minute);
  if (accepted <= documentedLimit || accepted > documentedLimit + maxRefill) return false;
  await context.clock.sleep(second);
  return !isLimited(await requestWithKey(context, 'server', limitedPath));
}

function isLimited({ status }: TestResponse): boolean {
  return status === 429;
}
