import { readFileSync } from 'node:fs';
import { readThreadCpu, totalCpu } from './thread-cpu.ts';

/** `/proc/stat` counts ticks of 1/100 s on every Linux (µs). */
const tick = 10_000;

/** Measures how much CPU other programs use during the runs: two threads beside a busy neighbour lose more than one. */
export interface OtherProgramsWatch {
  /** Counts a process as one of ours until the returned function is called. It must exist until then. */
  track(pid: number): () => void;
  /**
   * Starts a sample; the returned function ends it and returns the cores that other programs used, NaN where the
   * system does not tell. `exitedCpu` is the CPU time of our processes that have ended meanwhile (µs).
   */
  begin(): (exitedCpu: number) => number;
  /** The mean and the largest of the samples, NaN without any (cores). */
  summary(): { readonly mean: number; readonly max: number };
}

/** Tracks the current process from the beginning. */
export function watchOtherPrograms(proc = '/proc'): OtherProgramsWatch {
  const ownPids = new Set([process.pid]);
  const samples: { cores: number; elapsed: number }[] = [];
  return {
    track(pid) {
      ownPids.add(pid);
      return () => void ownPids.delete(pid);
    },
    begin() {
      const startedAt = performance.now();
      const before = othersCpu(proc, ownPids);
      return (exitedCpu) => {
        const elapsed = (performance.now() - startedAt) * 1_000;
        // A tick belongs to the process that runs when it occurs, so a short sample can be slightly negative.
        const cores = Math.max(0, (othersCpu(proc, ownPids) - before - exitedCpu) / elapsed);
        if (Number.isFinite(cores)) samples.push({ cores, elapsed });
        return cores;
      };
    },
    summary() {
      const elapsed = samples.reduce((sum, sample) => sum + sample.elapsed, 0);
      const used = samples.reduce((sum, sample) => sum + sample.cores * sample.elapsed, 0);
      const max = samples.length === 0 ? Number.NaN : Math.max(...samples.map(({ cores }) => cores));
      return { mean: used / elapsed, max };
    },
  };
}

/** CPU time that all programs except these have used since boot (µs). */
function othersCpu(proc: string, ownPids: ReadonlySet<number>): number {
  const own = [...ownPids].map((pid) => readThreadCpu(pid, proc));
  return own.reduce((rest, cpu) => rest - (cpu === null ? Number.NaN : totalCpu(cpu)), busyCpu(proc));
}

/** Time that the CPUs were not idle, including the time that the host gave to other machines (µs). */
function busyCpu(proc: string): number {
  try {
    const [total = ''] = readFileSync(`${proc}/stat`, 'utf8').split('\n');
    const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = total
      .split(/ +/)
      .slice(1)
      .map(Number);
    return (user + nice + system + irq + softirq + steal) * tick;
  } catch {
    return Number.NaN;
  }
}
