import { type CheckContext, type ConformanceCheck, failureIssue, requestWithKey, statusIssue } from './check.ts';
import { documentedLimit, exhaustLimit, limitedPath, measureLimit } from './measure-limit.ts';
import type { TestResponse } from './test-client.ts';

/** The checks of the rate limit (document, section 8). They run last, because they use up the keys for a minute. */
export function limitChecks(): ConformanceCheck[] {
  let limited: TestResponse | null = null;
  let measured: Promise<number> | undefined;
  const accepted = (context: CheckContext): Promise<number> => {
    measured ??= measureLimit(context);
    return measured;
  };
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
      line: 'each key has its own limit',
      source: 'document',
      run: async (context) => statusIssue(await requestWithKey(context, 'bot', limitedPath), 200),
    },
    {
      section: '8',
      line: 'the first 120 requests in a minute do not return 429',
      source: 'document',
      run: async (context) => {
        const count = await accepted(context);
        return count < documentedLimit ? `429 after ${count}` : null;
      },
    },
    {
      section: '8',
      line: 'no more than 120 requests in a minute are accepted',
      source: 'document',
      run: async (context) => {
        const count = await accepted(context);
        return count > documentedLimit ? `${count} accepted` : null;
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
