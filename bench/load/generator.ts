/** The process of the load generator. */
import { serveParent } from '../process/child-server.ts';
import { percentile } from '../samples.ts';
import { runClosedLoop } from './closed-loop.ts';
import type { Load, RunResult } from './load.ts';
import { runOpenLoop } from './open-loop.ts';
import { createRequestSource } from './request-set.ts';

const dealer = createRequestSource();

async function load({ port, path, dialect, from, count, connections, rate, forget }: Load): Promise<RunResult> {
  const requests = dealer.deal({ dialect, path, from, count });
  if (forget === true) dealer.forget();
  const before = process.cpuUsage();
  const { latencies, took, accepted, rejections } =
    rate === undefined
      ? await runClosedLoop(port, requests, connections)
      : await runOpenLoop(port, requests, connections, rate);
  const { user, system } = process.cpuUsage(before);
  return {
    accepted,
    rate: (count * 1_000) / took,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    max: percentile(latencies, 1),
    rejections: rejections.map(({ index, status }) => ({ number: from + index, status })),
    senderCpu: (user + system) / count,
  };
}

serveParent({ load });
