/** The process of the load generator. */
import { setTimeout as pause } from 'node:timers/promises';
import { serveParent } from '../process/child-server.ts';
import { percentile } from '../samples.ts';
import { runClosedLoop } from './closed-loop.ts';
import type { Load, RunResult } from './load.ts';
import { runOpenLoop } from './open-loop.ts';
import { createRequestSource } from './request-set.ts';
import { runWrk } from './wrk.ts';

const requestSource = createRequestSource();
/** V8's threads collect what the preparation of requests leaves, and would do so beside the server (ms). */
const settlingMs = 500;

/** wrk sends to one server. */
function onlyPort(port: number | readonly number[]): number {
  if (typeof port !== 'number') throw new Error('wrk cannot share a load between ports.');
  return port;
}

async function load({ port, connections, rate, sender = 'own', ...votes }: Load): Promise<RunResult> {
  const requests = requestSource.deal(votes);
  if (sender === 'wrk') return runWrk(onlyPort(port), requests, connections);
  if (rate !== undefined) await pause(settlingMs);
  const before = process.cpuUsage();
  const { latencies, took, accepted, rejections } =
    rate === undefined
      ? await runClosedLoop(port, requests, connections)
      : await runOpenLoop(port, requests, connections, rate);
  const { user, system } = process.cpuUsage(before);
  return {
    accepted,
    rate: (requests.size * 1_000) / took,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    max: percentile(latencies, 1),
    rejections: rejections.map(({ index, status }) => ({ number: votes.from + index, status })),
    senderCpu: (user + system) / requests.size,
    exitedCpu: 0,
  };
}

serveParent({ load });
