import type { LogProgress, Profile } from '../benchmark.ts';
import { runClosedLoop } from '../load/closed-loop.ts';
import type { RequestSet } from '../load/request-set.ts';
import { hasWrk, runWrk } from '../load/wrk.ts';
import { type Child, startChild } from '../process/child.ts';
import { atLeast, atMost, figure, type Goal, type Table } from '../report.ts';
import { median, percentile } from '../samples.ts';
import type { FilledDatabase } from './fill.ts';
import { type Endpoint, endpoints, type LookupKey, lookupRequests, pathOf } from './lookups.ts';

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

/** The runs of an endpoint, by round. */
export interface Measured {
  readonly service: readonly Run[];
  /** With the entity tag of the response. */
  readonly known: readonly Run[];
  readonly plain: readonly Run[];
  readonly constant: readonly Run[];
}

/** Lookups beside a plain handler with the same rows and a constant reply. */
export async function measureLookups(
  filled: FilledDatabase,
  members: number,
  profile: Profile,
  logProgress: LogProgress,
): Promise<Map<Endpoint, Measured>> {
  const send = await chooseSender();
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
        // The same user for every key, so that the tags are those of the requests.
        const tags = await entityTags(ports[0], endpoint, keys);
        const conditional = { count, members: 1, etag: (key: string) => tags.get(key) };
        const runs = {
          service: await run(service, ports[0], requests),
          known: await run(service, ports[0], lookupRequests(endpoint, keys, conditional)),
          plain: await run(plain, ports[1], requests),
          constant: await run(plain, ports[1], lookupRequests('constant', keys, { count, members })),
        };
        logProgress(
          `round ${round}, /${endpoint}: ${Math.round(runs.service.rate)}/s, plain ${Math.round(runs.plain.rate)}/s`,
        );
        // The first round only warms up.
        if (round === 0) continue;
        const before = measured.get(endpoint) ?? { service: [], known: [], plain: [], constant: [] };
        measured.set(endpoint, {
          service: [...before.service, runs.service],
          known: [...before.known, runs.known],
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

/** The entity tags of the responses for these keys. */
async function entityTags(port: number, endpoint: Endpoint, keys: readonly LookupKey[]): Promise<Map<string, string>> {
  const tags = new Map<string, string>();
  for (const { key } of keys) {
    const response = await fetch(`http://127.0.0.1:${port}${pathOf(endpoint, 0, 1)}`, {
      headers: { 'X-API-Key': key },
    });
    await response.arrayBuffer();
    tags.set(key, response.headers.get('etag') ?? '');
  }
  return tags;
}

export function keysOf(keys: readonly LookupKey[], endpoint: Endpoint, group: number): LookupKey[] {
  const kind = endpoint === 'bot' ? 'bot' : 'server';
  const all = keys.filter((key) => key.kind === kind);
  const from = (group * keysPerRun) % all.length;
  return [...all.slice(from), ...all.slice(0, from)].slice(0, keysPerRun);
}

/** Sends each request once. */
export async function chooseSender() {
  return (await hasWrk()) ? runWrk : runOwn;
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

/** @param of what was looked up, of how many votes */
export function goalsOf(of: string, { service, known, plain, constant }: Measured): Goal[] {
  return [
    atLeast(
      'lookups: rate over the plain handler',
      1,
      ratioOf(service, plain, ({ rate }) => rate),
      of,
    ),
    atLeast(
      'lookups: rate over a constant reply',
      0.4,
      ratioOf(service, constant, ({ rate }) => rate),
      of,
    ),
    atMost(
      "p99 of a lookup, of the plain handler's",
      2,
      ratioOf(service, plain, ({ p99 }) => p99),
      of,
    ),
    atMost(
      'CPU of a 304, of a 200',
      1,
      ratioOf(known, service, ({ cpu }) => cpu),
      of,
    ),
  ];
}

/** The CPU time per lookup may not depend on how much is stored. */
export function flatGoals(few: ReadonlyMap<Endpoint, Measured>, many: ReadonlyMap<Endpoint, Measured>): Goal[] {
  return endpoints.map((endpoint) => {
    const cpuOf = (all: ReadonlyMap<Endpoint, Measured>) =>
      median((all.get(endpoint)?.service ?? []).map(({ cpu }) => cpu));
    return atMost('CPU of a lookup with 100 times as much data', 1.25, cpuOf(many) / cpuOf(few), `/${endpoint}`);
  });
}

export function tableOf(measured: ReadonlyMap<Endpoint, Measured>, size: string): Table {
  const row = (name: string, runs: readonly Run[]) => [
    name,
    ...[({ rate }: Run) => rate, ({ p50 }: Run) => p50, ({ p99 }: Run) => p99, ({ cpu }: Run) => cpu].map((value) =>
      figure(median(runs.map(value))),
    ),
  ];
  return {
    caption: `Lookups with ${connections} connections and ${keysPerRun.toLocaleString('en-US')} keys, ${size}.`,
    columns: ['', 'per second', 'p50, ms', 'p99, ms', 'CPU, µs'],
    rows: [...measured].flatMap(([endpoint, { service, known, plain, constant }]) => [
      row(`/${endpoint}`, service),
      row(`/${endpoint}, 304`, known),
      row(`/${endpoint}, plain handler`, plain),
      row('constant reply', constant),
    ]),
  };
}
