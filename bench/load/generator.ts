/** A process that loads a server and measures how long its answers take. */
import { answerParent } from '../process/answering.ts';
import { percentile } from '../samples.ts';
import { createDealer } from './deck.ts';
import type { Load, Result } from './load.ts';
import { pace } from './pace.ts';
import { saturate } from './saturate.ts';

const dealer = createDealer();

async function load({ port, path, dialect, from, count, connections, rate, forget }: Load): Promise<Result> {
  const deck = dealer.deal({ dialect, path, from, count });
  if (forget === true) dealer.forget();
  const before = process.cpuUsage();
  const { latencies, took, accepted } =
    rate === undefined ? await saturate(port, deck, connections) : await pace(port, deck, connections, rate);
  const { user, system } = process.cpuUsage(before);
  return {
    accepted,
    rate: (count * 1_000) / took,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    senderCpu: (user + system) / count,
  };
}

answerParent({ load });
