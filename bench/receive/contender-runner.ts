import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Generator, Load, Result } from '../load/load.ts';
import { startChild } from '../process/child.ts';
import { type Contender, path, type Setting } from './contender.ts';

/** Concurrent connections. */
const connections = 64;
const megabyte = 2 ** 20;

/** The measurements of one run. */
export interface Measurement extends Result {
  /** CPU time of the server's process per request (µs). */
  readonly cpu: number;
}

/** How votes are sent; default: closed loop over 64 connections. */
export type RunOptions = Partial<Pick<Load, 'rate' | 'connections' | 'forget'>>;

/** A contender in its contenderDirectory process. */
export interface RunningContender extends Contender {
  /** Number of distinct votes sent. */
  readonly sent: () => number;
  readonly directory: string;
  /** Sends this many new votes. Throws if one is not acknowledged. */
  run(count: number, options?: RunOptions): Promise<Measurement>;
  /** Resident memory and used heap (MB). */
  memory(): Promise<{ readonly resident: number; readonly heapUsed: number }>;
  stop(): Promise<void>;
}

export interface Environment {
  readonly generator: Generator;
  /** Contains one directory per contender. */
  readonly directory: string;
  readonly silentDiscord: string;
}

/** @param environment added to this process's environment */
export async function startContender(
  contender: Contender,
  { generator, directory, silentDiscord }: Environment,
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningContender> {
  const contenderDirectory = join(directory, contender.name);
  mkdirSync(contenderDirectory, { recursive: true });
  const setting: Setting = { directory: contenderDirectory, silentDiscord };
  const module = new URL('./contender-process.ts', import.meta.url);
  const child = await startChild(module, [contender.name, JSON.stringify(setting)], environment);
  const port = await child.ask<number>('port');
  let sent = 0;

  return {
    ...contender,
    sent: () => sent,
    directory: contenderDirectory,
    async run(count, options = {}) {
      const from = sent;
      sent += count;
      const before = await child.usage();
      const { dialect } = contender;
      const result = await generator.load({ port, path, dialect, from, count, connections, ...options });
      const after = await child.usage();
      if (result.accepted !== count) {
        throw new Error(`${contender.name} took only ${result.accepted} of ${count} votes.`);
      }
      return { ...result, cpu: (after.cpu - before.cpu) / count };
    },
    async memory() {
      const { resident, heapUsed } = await child.usage();
      return { resident: resident / megabyte, heapUsed: heapUsed / megabyte };
    },
    stop: child.stop,
  };
}
