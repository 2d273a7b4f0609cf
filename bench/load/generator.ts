/** The process of the load generator. */
import { serveParent } from '../process/child-server.ts';
import { percentile } from '../samples.ts';
import { runClosedLoop } from './closed-loop.ts';
import type { Load, Result } from './load.ts';
import { runOpenLoop } from './open-loop.ts';
import { createRequestSource } from './request-set.ts';
import { runWrk } from './wrk.ts';

const requestSource = createRequestSource();

async function load({ port, connections, rate, sender = 'own', ...votes }: Load): Promise<Result> {
  const requests = requestSource.deal(votes);
  if (sender === 'wrk') return runWrk(port, requests, connections);
  const before = process.cpuUsage();
  const { latencies, took, accepted } =
    rate === undefined
      ? await runClosedLoop(port, requests, connections)
      : await runOpenLoop(port, requests, connections, rate);
  const { user, system } = process.cpuUsage(before);
  return {
    accepted,
    rate: (requests.size * 1_000) / took,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    senderCpu: (user + system) / requests.size,
    exitedCpu: 0,
  };
}

serveParent({ load });
