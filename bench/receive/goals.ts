import { atLeast, atMost, type Goal } from '../report.ts';
import type { ContenderResult, RunKind } from './compare.ts';
import type { ContenderName } from './contender.ts';

const peers = ['fastify', 'hono', 'top-gg', 'octokit'] as const;

/** One and a half times what a plain vote took at a584c765: 1.10 times as much as now, in turns (`bench/NOTES.md`). */
const everyRuleOfPlain = 1.65;

/** @param saturated the runs whose figures count */
export function goals(results: readonly ContenderResult[], saturated: RunKind): Goal[] {
  const { over } = resultOf(results, 'tallyhook');
  const rateOver = (name: ContenderName) => over(name, saturated, 'rate');
  const listings = resultOf(results, 'tallyhook-listings').over('tallyhook-shuffled', saturated, 'cpu');
  const atTopgg = resultOf(results, 'tallyhook-topgg').over('tallyhook', saturated, 'cpu');
  const rewards = resultOf(results, 'tallyhook-rewards').over('tallyhook', saturated, 'cpu');
  return [
    atLeast('rate over the Express sample without storage', 1.5, rateOver('express')),
    atLeast('rate over bare node:http without storage', 0.6, rateOver('bare-http')),
    atLeast('rate over a transaction per vote', 5, rateOver('express-sqlite')),
    ...peers.map((name) => atLeast(`rate over ${name}`, 1, rateOver(name))),
    atMost("p99 at saturation, of the Express sample's", 1.5, over('express', saturated, 'p99')),
    atMost("p99 at half the Express sample's load, of the Express sample's", 3, over('express', 'half', 'p99')),
    atMost('CPU per vote with 1,000 listings, of that with one and voters in random order', 1.1, listings),
    atMost('CPU per top.gg v1 vote, of that of a plain vote', 1.05, atTopgg),
    atMost('CPU per vote with every rule, of that of a plain vote', everyRuleOfPlain, rewards),
    atMost("the sender's CPU per request, of the leanest server's", 1, senderOver(results, saturated)),
  ];
}

/** @throws Error if it did not take part */
export function resultOf(results: readonly ContenderResult[], name: ContenderName): ContenderResult {
  const found = results.find(({ contender }) => contender.name === name);
  if (found === undefined) throw new Error(`${name} did not take part.`);
  return found;
}

/** CPU of the load generator divided by that of the leanest server: above 1 the generator would be the bottleneck. */
function senderOver(results: readonly ContenderResult[], saturated: RunKind): number {
  const measured = results.map(({ of }) => of(saturated)).filter((each) => each !== null);
  return Math.max(...measured.map(({ senderCpu, cpu }) => senderCpu / cpu));
}
