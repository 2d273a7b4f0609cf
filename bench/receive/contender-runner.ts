import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Generator, Load, Result } from '../load/load.ts';
import { type ChildOptions, startChild } from '../process/child.ts';
import { readNodeOptions } from '../process/node-options.ts';
import type { OtherProgramsWatch } from '../process/other-programs.ts';
import { readThreadCpu } from '../process/thread-cpu.ts';
import { type Contender, type Setting, path as sharedPath } from './contender.ts';
import type { SurroundingsSource } from './surroundings.ts';

/** Concurrent connections. */
const connections = 64;
const megabyte = 2 ** 20;
const contenderProcess = new URL('./contender-process.ts', import.meta.url);

/** The measurements of one run. CPU time in µs per request. */
export interface Measurement extends Omit<Result, 'exitedCpu'> {
  /** Of the server's process. */
  readonly cpu: number;
  /** Of its event loop, of its worker threads, and of V8's and libuv's threads; NaN where the system does not tell. */
  readonly mainCpu: number;
  readonly workerCpu: number;
  readonly otherCpu: number;
  /** Cores that other programs used meanwhile, NaN where the system does not tell. */
  readonly otherPrograms: number;
}

/** How votes are sent; default: closed loop over 64 connections by our own sender. */
export type RunOptions = Partial<Pick<Load, 'rate' | 'connections' | 'sender'>>;

/** A contender in its own process. */
export interface RunningContender extends Contender {
  readonly directory: string;
  /** Number of distinct votes that it has acknowledged, if it stores votes. */
  readonly acknowledged: () => number;
  /** Sends this many votes, new ones if it stores them. Throws if one is not acknowledged. */
  run(count: number, options?: RunOptions): Promise<Measurement>;
  /** Resident memory and used heap (MB). */
  memory(): Promise<{ readonly resident: number; readonly heapUsed: number }>;
  stop(): Promise<void>;
}

export interface Environment {
  readonly generator: Generator;
  /** Contains one directory per contender. */
  readonly directory: string;
  readonly surroundings: Pick<SurroundingsSource, 'create'>;
  readonly otherPrograms: OtherProgramsWatch;
}

export async function startContender(
  contender: Contender,
  { generator, directory, surroundings, otherPrograms }: Environment,
  { module = contenderProcess, ...options }: ChildOptions & { readonly module?: URL } = {},
): Promise<RunningContender> {
  const { name, dialect, voters, listings, members, rewards, site, storesVotes, module: contenderModule } = contender;
  const path = site === null ? sharedPath : `/webhooks/${site}`;
  const ownDirectory = join(directory, name);
  mkdirSync(ownDirectory, { recursive: true });
  const setting: Setting = {
    directory: ownDirectory,
    surroundings: await surroundings.create(contender.discord),
    listings,
    members,
    rewards,
    site,
  };
  const nodeOptions =
    options.nodeOptions ?? (contenderModule === 'tallyhook' ? readNodeOptions(new URL('../../', module)) : []);
  const child = await startChild(module, [contenderModule, JSON.stringify(setting)], { ...options, nodeOptions });
  const port = await child.ask<number>('port');
  const untrack = otherPrograms.track(child.pid);
  let acknowledged = 0;

  return {
    ...contender,
    directory: ownDirectory,
    acknowledged: () => acknowledged,
    async run(count, options = {}) {
      const load = { port, path, dialect, series: { voters, listings, site }, from: acknowledged, count, connections };
      const endSample = otherPrograms.begin();
      const { cpu: processBefore } = await child.usage();
      const before = readThreadCpu(child.pid);
      const { exitedCpu, ...result } = await generator.load({ ...load, ...options });
      const after = readThreadCpu(child.pid);
      const { cpu: processAfter } = await child.usage();
      if (result.accepted !== count) throw new Error(`${name} accepted only ${result.accepted} of ${count} votes.`);
      if (storesVotes) acknowledged += count;
      const threadCpu = (kind: 'main' | 'worker' | 'other') =>
        before === null || after === null ? Number.NaN : (after[kind] - before[kind]) / count;
      return {
        ...result,
        cpu: (processAfter - processBefore) / count,
        mainCpu: threadCpu('main'),
        workerCpu: threadCpu('worker'),
        otherCpu: threadCpu('other'),
        otherPrograms: endSample(exitedCpu),
      };
    },
    async memory() {
      const { resident, heapUsed } = await child.usage();
      return { resident: resident / megabyte, heapUsed: heapUsed / megabyte };
    },
    stop() {
      untrack();
      return child.stop();
    },
  };
}
