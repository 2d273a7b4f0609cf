import { createServer } from 'node:http';
import type { Benchmark, LogProgress, Profile } from '../benchmark.ts';
import { runClosedLoop } from '../load/closed-loop.ts';
import type { RequestSet } from '../load/request-set.ts';
import { hasWrk, runWrk } from '../load/wrk.ts';
import { type Child, startChild } from '../process/child.ts';
import { listen } from '../process/listen.ts';
import { atLeast, atMost, figure, type Goal, type Table } from '../report.ts';
import { median, percentile } from '../samples.ts';
import { type FilledDatabase, fillDatabase, removeDatabase } from './fill.ts';
import { type Endpoint, endpoints, type LookupKey, lookupRequests } from './lookups.ts';

const small = { listings: 1_000, members: 10_000, votes: 100_000, reviews: 10_000 };
const large = { listings: 10_000, members: 1_000_000, votes: 10_000_000, reviews: 1_000_000 };
const connections = 32;
/** Keys of one run: each has its limit, so the next run uses others. */
const keysPerRun = 2_000;

interface Run {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  /** CPU time of the server (µs per request). */
  readonly cpu: number;
}

interface Measured {
  readonly service: readonly Run[];
  readonly plain: readonly Run[];
  readonly constant: readonly Run[];
}

/** The lookup API beside a plain Express handler with the same rows, and beside a constant reply. */
export const service: Benchmark = {
  name: 'service',
  against: ['express'],
  async measure(profile, logProgress) {
    const sizes = profile.full ? [small, large] : [small];
    const goals: Goal[] = [];
    const tables: Table[] = [];
    const notes: string[] = [];
    for (const population of sizes) {
      logProgress(`filling a database with ${population.votes.toLocaleString('en-US')} votes`);
      const filled = await fillDatabase(profile.directory, population, profile.keep);
      try {
        const measured = await measureLookups(filled, population.members, profile, logProgress);
        const size = `${population.votes.toLocaleString('en-US')} votes`;
        goals.push(...[...measured].flatMap(([endpoint, runs]) => goalsOf(`GET /${endpoint}, ${size}`, runs)));
        tables.push(tableOf(measured, size));
        const votes = await measureVotes(filled, profile, logProgress);
        notes.push(
          `With ${size}: ${figure(votes.queued)} votes per second with their webhook queued, while a receiver answered ${figure(votes.sent)} deliveries per second.`,
        );
        if (filled.rowsPerSecond !== null)
          notes.push(`The database with ${size} was filled with ${figure(filled.rowsPerSecond)} rows per second.`);
      } finally {
        if (!profile.keep) removeDatabase(filled.path);
      }
    }
    return { goals, tables, notes };
  },
};

async function measureLookups(
  filled: FilledDatabase,
  members: number,
  profile: Profile,
  logProgress: LogProgress,
): Promise<Map<Endpoint, Measured>> {
  const send = (await hasWrk()) ? runWrk : runOwn;
  const children = [
    await startChild(new URL('./service-process.ts', import.meta.url), [`sqlite:${filled.path}`]),
    await startChild(new URL('./plain-process.ts', import.meta.url), [filled.path]),
  ];
  const [service, plain] = children as [Child, Child];
  const measured = new Map<Endpoint, Measured>();
  try {
    const ports = [await service.ask<number>('port'), await plain.ask<number>('port')] as const;
    const count = profile.quick ? 10_000 : 20_000;
    const rounds = profile.quick ? 3 : 5;
    let group = 0;
    for (let round = 0; round <= rounds; round += 1) {
      for (const endpoint of endpoints) {
        const keys = keysOf(filled.keys, endpoint, group);
        const requests = lookupRequests(endpoint, keys, { count, members });
        const runs = {
          service: await run(service, ports[0], requests),
          plain: await run(plain, ports[1], requests),
          constant: await run(plain, ports[1], lookupRequests('constant', keys, { count, members })),
        };
        logProgress(
          `round ${round}, /${endpoint}: ${Math.round(runs.service.rate)}/s, plain ${Math.round(runs.plain.rate)}/s`,
        );
        // The first round only warms up.
        if (round === 0) continue;
        const before = measured.get(endpoint) ?? { service: [], plain: [], constant: [] };
        measured.set(endpoint, {
          service: [...before.service, runs.service],
          plain: [...before.plain, runs.plain],
          constant: [...before.constant, runs.constant],
        });
      }
      group += 1;
    }
  } finally {
    for (const child of children) await child.stop();
  }
  return measured;

  async function run(child: Child, port: number, requests: RequestSet): Promise<Run> {
    const before = await child.usage();
    const { rate, p50, p99, accepted } = await send(port, requests, connections);
    if (accepted < requests.size) throw new Error(`${requests.size - accepted} lookups were rejected.`);
    return { rate, p50, p99, cpu: ((await child.usage()).cpu - before.cpu) / requests.size };
  }
}

/** Votes through the programmatic API, each with a webhook to a receiver that answers. */
async function measureVotes(filled: FilledDatabase, profile: Profile, logProgress: LogProgress) {
  const service = await startChild(new URL('./service-process.ts', import.meta.url), [`sqlite:${filled.path}`]);
  let received = 0;
  const receiver = createServer((request, response) => {
    received += 1;
    request.resume().on('end', () => response.end('{"received":true}'));
  });
  try {
    const url = `http://127.0.0.1:${await listen(receiver)}/`;
    const listingIds = filled.keys.slice(0, 50).map(({ id }) => id);
    for (const listingId of listingIds) await service.ask('setWebhook', { listingId, url });
    const count = profile.quick ? 2_000 : 10_000;
    const vote = { listingIds, count, concurrency: 64, firstVoter: Math.floor(Math.random() * 1e9) };
    const took = await service.ask<number>('vote', vote);
    logProgress(`${count} votes in ${Math.round(took)} ms`);
    return { queued: (count * 1_000) / took, sent: (received * 1_000) / took };
  } finally {
    await service.stop();
    receiver.closeAllConnections();
    receiver.close();
  }
}

function keysOf(keys: readonly LookupKey[], endpoint: Endpoint, group: number): LookupKey[] {
  const kind = endpoint === 'bot' ? 'bot' : 'server';
  const all = keys.filter((key) => key.kind === kind);
  const from = (group * keysPerRun) % all.length;
  return [...all.slice(from), ...all.slice(0, from)].slice(0, keysPerRun);
}

/** Without wrk: a sender in Node, which takes more CPU. */
async function runOwn(port: number, requests: RequestSet, connections: number) {
  const { latencies, took, accepted } = await runClosedLoop(port, requests, connections);
  const rate = (requests.size * 1_000) / took;
  return { rate, accepted, p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
}

/** Medians of the ratios of two runs in the same round. */
function ratioOf(of: readonly Run[], to: readonly Run[], value: (run: Run) => number): number {
  return median(of.map((run, round) => value(run) / value(to[round] ?? run)));
}

function goalsOf(what: string, { service, plain, constant }: Measured): Goal[] {
  return [
    atLeast(
      `${what}: rate over the plain handler`,
      1,
      ratioOf(service, plain, ({ rate }) => rate),
    ),
    atLeast(
      `${what}: rate over a constant reply`,
      0.4,
      ratioOf(service, constant, ({ rate }) => rate),
    ),
    atMost(
      `${what}: p99, of the plain handler's`,
      2,
      ratioOf(service, plain, ({ p99 }) => p99),
    ),
  ];
}

function tableOf(measured: ReadonlyMap<Endpoint, Measured>, size: string): Table {
  const row = (name: string, runs: readonly Run[]) => [
    name,
    ...[({ rate }: Run) => rate, ({ p50 }: Run) => p50, ({ p99 }: Run) => p99, ({ cpu }: Run) => cpu].map((value) =>
      figure(median(runs.map(value))),
    ),
  ];
  return {
    caption: `Lookups with ${connections} connections and ${keysPerRun.toLocaleString('en-US')} keys, ${size}.`,
    columns: ['', 'per second', 'p50, ms', 'p99, ms', 'CPU, µs'],
    rows: [...measured].flatMap(([endpoint, { service, plain, constant }]) => [
      row(`/${endpoint}`, service),
      row(`/${endpoint}, plain handler`, plain),
      row('constant reply', constant),
    ]),
  };
}
