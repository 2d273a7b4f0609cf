import { type Child, startChild } from '../process/child.ts';
import type { RequestSetOptions } from './request-set.ts';

/** `wrk`, or the sender of this benchmark, which runs everywhere and can also keep a constant rate. */
export type Sender = 'wrk' | 'own';

/** One run against one server, or several that share the load, which must not have seen these votes before if it stores them. */
export interface Load extends RequestSetOptions {
  /** With several, which only our own sender can serve, the connections are divided among them. */
  readonly port: number | readonly number[];
  readonly connections: number;
  /** Requests per second, with our own sender only; if undefined, as many as the server accepts. */
  readonly rate?: number;
  /** Default: our own. */
  readonly sender?: Sender;
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
  /** CPU time of the load generator's processes that have exited (µs). */
  readonly exitedCpu: number;
}

/** The result of one run, not of several. */
export interface RunResult extends Result {
  /** The longest latency (ms); NaN with wrk. */
  readonly max: number;
  /** The votes that were not answered with 2xx, with their numbers; none with wrk. */
  readonly rejections: readonly { readonly number: number; readonly status: number }[];
}

export interface Generator {
  readonly pid: number;
  load(load: Load): Promise<RunResult>;
  stop: Child['stop'];
}

export async function startGenerator(): Promise<Generator> {
  const child = await startChild(new URL('./generator.ts', import.meta.url));
  return { pid: child.pid, load: (load) => child.ask<RunResult>('load', load), stop: child.stop };
}
