import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type VoterOrder, voterCounts } from '../load/vote.ts';
import { type LoadResult, runWrk } from '../load/wrk.ts';
import { type Child, readNodeOptions, startChild } from '../process/child.ts';

/** A server that accepts votes. */
export interface Contender {
  readonly name: (typeof titles)[number][0];
  /** Its file in `contenders/`. */
  readonly module: string;
  readonly title: string;
  /** Whether an acknowledged vote is on disk; then it receives each vote once. */
  readonly isDurable: boolean;
  readonly voters: VoterOrder;
  /** Members who have voted before. */
  readonly members: number;
}

/** The Discord and the listing service of a bot. */
export interface Surroundings {
  readonly discordUrl: string;
  readonly token: string;
  readonly channelId: string;
  readonly lookupUrl: string;
  readonly lookupKey: string;
}

/** The database file in tallyhook's directory. */
export const databaseFile = 'tallyhook.db';

/** What a contender is started with. */
export interface Setting {
  /** Its own. */
  readonly directory: string;
  readonly surroundings: Surroundings;
  readonly members: number;
}

/** The export `start` of each file in `contenders/`: listens on a free port of 127.0.0.1 and returns it. */
export type Start = (setting: Setting) => Promise<number>;

/** Those of a goal are neighbours as far as possible, because the ratio of two runs at different times is less precise. */
const titles = [
  ['express', 'Express, nothing stored'],
  ['fastify', 'Fastify, group commit, two rows'],
  ['floor', 'the same rows with the least code'],
  ['tallyhook', '**tallyhook**'],
  ['tallyhook-scattered', 'tallyhook, members who come back in any order'],
  ['fastify-scattered', 'Fastify, members who come back in any order'],
  ['express-sqlite', 'Express, a SQLite transaction for each vote'],
] as const;

export const contenders: readonly Contender[] = titles.map(([name, title]) => {
  const module = name.replace('-scattered', '');
  const voters = name === module ? 'sequential' : 'scattered';
  const members = name === module ? 0 : voterCounts.scattered;
  return { name, module, title, isDurable: module !== 'express', voters, members };
});

/** The measurements of one run. */
export interface Measurement extends LoadResult {
  /** CPU time of the server's process per request (µs). */
  readonly cpu: number;
  /** Written to disks per request (bytes). */
  readonly written: number;
}

/** A contender in its own process. */
export interface RunningContender extends Contender {
  readonly directory: string;
  /** Number of distinct votes that it has acknowledged, if it is durable. */
  acknowledged(): number;
  /** Sends this many votes, new ones if it is durable. Throws if one is not acknowledged. */
  run(count: number): Promise<Measurement>;
  /** Resident memory (MB). */
  resident(): Promise<number>;
  stop(): Promise<void>;
}

const connections = 64;
const contenderProcess = new URL('./contender-process.ts', import.meta.url);
const root = new URL('../../', import.meta.url);

/**
 * @param options.directory contains one directory per contender
 * @param options.module its process
 */
export async function startContender(
  contender: Contender,
  {
    surroundings,
    directory,
    module = contenderProcess,
  }: { readonly surroundings: Child; readonly directory: string; readonly module?: URL },
): Promise<RunningContender> {
  const { name, voters, members, isDurable } = contender;
  const ownDirectory = join(directory, name);
  mkdirSync(ownDirectory, { recursive: true });
  const setting: Setting = {
    directory: ownDirectory,
    surroundings: await surroundings.ask<Surroundings>('create'),
    members,
  };
  const nodeOptions = contender.module === 'tallyhook' ? readNodeOptions(root) : [];
  const child = await startChild(module, [contender.module, JSON.stringify(setting)], { nodeOptions });
  const port = await child.ask<number>('port');
  let acknowledged = 0;
  return {
    ...contender,
    directory: ownDirectory,
    acknowledged: () => acknowledged,
    async run(count) {
      const before = await child.usage();
      const result = await runWrk({ port, voters, from: acknowledged, count, connections });
      const after = await child.usage();
      if (result.accepted !== count) throw new Error(`${name} accepted only ${result.accepted} of ${count} votes.`);
      if (isDurable) acknowledged += count;
      return {
        ...result,
        cpu: (after.cpu - before.cpu) / count,
        written: (after.written - before.written) / count,
      };
    },
    resident: async () => (await child.usage()).resident / 2 ** 20,
    stop: child.stop,
  };
}
