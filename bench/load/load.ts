import { startChild } from '../process/child.ts';
import type { AuthScheme } from './auth-scheme.ts';

/** One run against one server, or several that share the load. */
export interface Load {
  /** With several, the connections are divided among them. */
  readonly port: number | readonly number[];
  readonly path: string;
  readonly dialect: AuthScheme;
  /** The number of the first vote; a server must not have seen it before. */
  readonly from: number;
  readonly count: number;
  readonly connections: number;
  /** Requests per second; if undefined, as many as the server accepts. */
  readonly rate?: number;
  /** No other contender will send these votes. */
  readonly forget?: boolean;
}

export interface Result {
  /** Answered with 2xx. */
  readonly accepted: number;
  /** Answers per second. */
  readonly rate: number;
  /** ms. */
  readonly p50: number;
  readonly p99: number;
  /** CPU time of the load generator per request (µs). It must be less than the server's, or the generator is the bottleneck. */
  readonly senderCpu: number;
}

/** The result of one run, not of several. */
export interface RunResult extends Result {
  /** The longest latency (ms). */
  readonly max: number;
  /** The votes that were not answered with 2xx, with their numbers. */
  readonly rejections: readonly { readonly number: number; readonly status: number }[];
}

export interface Generator {
  load(load: Load): Promise<RunResult>;
  stop(): Promise<void>;
}

export async function startGenerator(): Promise<Generator> {
  const child = await startChild(new URL('./generator.ts', import.meta.url));
  return { load: (load) => child.ask<RunResult>('load', load), stop: child.stop };
}
