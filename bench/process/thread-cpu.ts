import { readdirSync, readFileSync } from 'node:fs';

/** CPU time of a Node process since its start, by thread (µs). */
export interface ThreadCpu {
  /** The event loop. */
  readonly main: number;
  /** Worker threads of the program. */
  readonly worker: number;
  /** V8's and libuv's threads: garbage collection, compilation, file access. */
  readonly other: number;
}

/** Null where `proc` is not a Linux one with scheduler statistics, or without this process. */
export function readThreadCpu(pid: number, proc = '/proc'): ThreadCpu | null {
  const cpu = { main: 0, worker: 0, other: 0 };
  try {
    for (const thread of readdirSync(`${proc}/${pid}/task`)) {
      const directory = `${proc}/${pid}/task/${thread}`;
      cpu[thread === String(pid) ? 'main' : threadKind(directory)] += runTime(directory);
    }
    return cpu;
  } catch {
    return null;
  }
}

/** Node names the threads of `worker_threads` so. */
function threadKind(directory: string): 'worker' | 'other' {
  return readFileSync(`${directory}/comm`, 'utf8').trim() === 'WorkerThread' ? 'worker' : 'other';
}

/** The first field is the time on a CPU (ns); `stat` counts ticks of 10 ms, which is too coarse. */
function runTime(directory: string): number {
  return Number(readFileSync(`${directory}/schedstat`, 'utf8').split(' ')[0]) / 1_000;
}

export function totalCpu({ main, worker, other }: ThreadCpu): number {
  return main + worker + other;
}
