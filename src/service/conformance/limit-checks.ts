import { minute, second } from '../../platform/durations.ts';
import type { ListingKind } from '../listing/listing.ts';
import { type CheckContext, type ConformanceCheck, failureFault, keyOf, requestAs, Skip } from './check.ts';
import { nobody } from './endpoint-checks.ts';
import { letThrough, sentBeforeRefusal } from './limit-counts.ts';
import type { ProbeResponse } from './probe.ts';

const limit = 120;
const path = `/votes/${nobody}`;

/** What holds of the rate limit (document, section 8). These come last: afterwards the keys are spent for a minute. */
export function limitChecks(): ConformanceCheck[] {
  let refusal: ProbeResponse | null = null;
  return [
    {
      section: '7, 8',
      line: 'more than 120 requests in a minute with one key are answered with 429',
      from: 'document',
      see: async (bench) => {
        refusal = await spend(bench, 'server');
        return refusal === null ? 'no 429' : failureFault(refusal, 429);
      },
    },
    {
      section: '8',
      line: 'no request is answered with 429 before there were 120 in a minute',
      from: 'document',
      see: async (bench) => {
        const sent = sentBeforeRefusal(bench.probe, keyOf(bench, 'server'));
        if (sent === null) throw new Skip('no 429');
        return sent < limit ? `429 after ${sent}` : null;
      },
    },
    {
      section: '8',
      line: 'the limit of one key is not the limit of another',
      from: 'document',
      see: async (bench) => {
        const { status } = await requestAs(bench, 'bot', path);
        return status === 200 ? null : `status ${status}`;
      },
    },
    {
      section: '8',
      line: 'no more than 120 requests in a minute are let through',
      from: 'document',
      see: async (bench) => {
        if (refusal === null) throw new Skip('no 429');
        const first = excess(bench, 'server');
        return first === null ? null : secondOpinion(bench, first);
      },
    },
    {
      section: 'silent',
      line: 'no 60 seconds hold more or fewer than 120 answered requests',
      from: 'choice',
      see: async (bench) => {
        const { count } = letThrough(bench.probe, keyOf(bench, 'server'), bench.clock.monotonic() - minute);
        return count === limit ? null : `${count} answered`;
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

/** Asks until the first 429; null when twice the limit brings none. */
async function spend(bench: CheckContext, kind: ListingKind): Promise<ProbeResponse | null> {
  for (let sent = 0; sent <= 2 * limit; sent += 1) {
    const answer = await requestAs(bench, kind, path);
    if (answer.status === 429) return answer;
  }
  return null;
}

/** Too many requests that were let through in the last minute, in words; null when it were not. A bucket that is refilled may let a few more through. */
function excess(bench: CheckContext, kind: ListingKind): string | null {
  const { count, lasted } = letThrough(bench.probe, keyOf(bench, kind), bench.clock.monotonic() - minute);
  return count <= limit + Math.ceil((limit * lasted) / minute) ? null : `${count} in ${Math.ceil(lasted / second)} s`;
}

/**
 * How the window is measured is not shown: a fixed one lets up to twice the limit through across its edge. Such an edge cannot be crossed
 * again at once with another key, nor a window and a half later.
 */
async function secondOpinion(bench: CheckContext, first: string): Promise<string | null> {
  const kind = bench.keys.bot === undefined ? 'server' : 'bot';
  if (kind === 'server') await bench.clock.sleep(1.5 * minute);
  await spend(bench, kind);
  const second = excess(bench, kind);
  return second === null ? null : `${first}, then ${second}`;
}
