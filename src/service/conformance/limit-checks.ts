import { askAs, type Check, failureFault, keyOf } from './check.ts';
import { nobody } from './endpoint-checks.ts';
import type { Answer } from './probe.ts';

const limit = 120;
const path = `/votes/${nobody}`;

/**
 * What holds of the rate limit (document, section 8). How the window is measured is not shown, so a fixed window may let nearly
 * twice the limit through across its edge. These come last: afterwards the key is spent for a minute.
 */
export function limitChecks(): Check[] {
  let refusal: Answer | null = null;
  return [
    {
      section: '7, 8',
      line: 'more than 120 requests in a minute with one key are answered with 429',
      from: 'document',
      see: async (bench) => {
        for (let sent = 0; sent <= 2 * limit && refusal === null; sent += 1) {
          const answer = await askAs(bench, 'server', path);
          if (answer.status === 429) refusal = answer;
        }
        return refusal === null ? 'no 429' : failureFault(refusal, 429);
      },
    },
    {
      section: '8',
      line: 'the limit of one key is not the limit of another',
      from: 'document',
      see: async (bench) => {
        const { status } = await askAs(bench, 'bot', path);
        return status === 200 ? null : `status ${status}`;
      },
    },
    {
      section: 'silent',
      line: 'no 60 seconds hold more or fewer than 120 answered requests',
      from: 'choice',
      see: async (bench) => {
        const answered = bench.probe.answeredOf(keyOf(bench, 'server'));
        return answered === limit ? null : `${answered} answered`;
      },
    },
    {
      section: 'silent',
      line: 'a 429 says with Retry-After when to try again',
      from: 'choice',
      see: async () => {
        const seconds = refusal?.headers.get('retry-after') ?? 'nothing';
        return /^[1-9]\d?$/.test(seconds) ? null : seconds;
      },
    },
  ];
}
