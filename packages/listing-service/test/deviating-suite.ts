import { hour, minute } from '@tallyhook/platform/durations';
import { type ConformanceResult, runConformance } from '../src/conformance/suite.ts';
import { withDate, withoutWaiting } from '../testing/leaping-clock.ts';
import { mira, type Running, running, serverId } from '../testing/running.ts';
import { type Deviation, startDeviatingProxy } from './deviant.ts';

/** The service with a voter and with more reviews than a response may contain. */
export async function startWithData(): Promise<Running> {
  const instance = await running();
  await instance.service.castVote({ listingId: serverId, ...mira });
  instance.clock.leap(hour);
  for (let user = 1; user <= 20; user += 1) {
    await instance.service.addReview({
      listingId: serverId,
      userId: `${user}`,
      username: `u${user}`,
      rating: 3,
      comment: '',
    });
  }
  return { ...instance, clock: withDate(instance.clock) };
}

interface Options {
  readonly skipRateLimit?: boolean;
  readonly serverKeyOnly?: boolean;
  readonly clock?: Running['clock'];
}

/** The results of the checks that do not hold. */
export async function runSuite(
  deviate: Deviation,
  options: Options = {},
  running?: Running,
): Promise<ConformanceResult[]> {
  const { skipRateLimit = true, serverKeyOnly = false } = options;
  const instance = running ?? (await startWithData());
  const { server, bot } = instance.keys;
  const keys = serverKeyOnly ? { server } : { server, bot };
  const baseUrl = await startDeviatingProxy(instance, deviate);
  const clock = options.clock ?? withoutWaiting(instance.clock);
  const results: ConformanceResult[] = [];
  const suite = { baseUrl, keys, votedUser: mira.userId, skipRateLimit, choices: true, clock };
  for await (const result of runConformance(suite)) {
    if (result.outcome !== 'holds') results.push(result);
  }
  return results;
}

export const failedLines = (results: readonly ConformanceResult[]) =>
  results.filter(({ outcome }) => outcome === 'fails').map(({ line }) => line);

/** Counts what an endpoint of the API was asked with a valid key, and nothing else. */
const countedStatuses = [200, 304, 400];
const rejection = '{"success":false,"error":"Too many."}';

/** Replaces the limit of the service by one that `accepts` decides, with the key and the number of its requests. */
export function limitedBy(
  accepts: (key: string, count: number) => boolean,
  isCounted: (status: number) => boolean = (status) => countedStatuses.includes(status),
): Deviation {
  const counts = new Map<string, number>();
  return (response, { key }) => {
    if (key === null || !(isCounted(response.status) || response.status === 429)) return;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (!accepts(key, count))
      Object.assign(response, { status: 429, contentType: 'application/json', body: rejection });
    else if (response.status === 429) Object.assign(response, { status: 200, body: '{"success":true,"data":{}}' });
  };
}

/** Accepts this many requests per key, and again after a quiet minute. */
export function limitedTo(limit: number, clock: Running['clock'], isCounted?: (status: number) => boolean): Deviation {
  const windows = new Map<string, number[]>();
  return limitedBy((key) => {
    const now = clock.monotonic();
    const recent = (windows.get(key) ?? []).filter((at) => at > now - minute);
    const isAccepted = recent.length < limit;
    windows.set(key, isAccepted ? [...recent, now] : recent);
    return isAccepted;
  }, isCounted);
}

export const earlyLimitLine = 'the first 120 requests in a minute do not return 429';
export const lateLimitLine = 'no more than 120 requests in a minute are accepted';
export const noLimitLine = 'more than 120 requests in a minute with one key return 429';
