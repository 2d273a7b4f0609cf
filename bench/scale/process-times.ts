import { readdirSync, readFileSync } from 'node:fs';

/** The clock tick of `/proc/PID/stat` (µs): USER_HZ is 100 on every Linux architecture. */
const tick = 10_000;
/** The parent of all kernel threads. Writing and syncing for the processes under test is their work too. */
const kernelThreads = 2;

interface ProcessTime {
  readonly parent: number;
  /** User and system CPU time of the process and of its children that ended (µs). */
  readonly cpu: number;
}

/** The CPU times of all processes at one moment. Linux only. */
export interface ProcessTimes {
  /** CPU time of these processes and all their descendants, the ended ones included (µs). */
  of(...roots: readonly number[]): number;
  /** CPU time of all other processes, without kernel threads (µs). */
  except(...roots: readonly number[]): number;
}

export function processTimes(): ProcessTimes {
  const processes = readProcesses();
  const isBelow = (pid: number, roots: readonly number[]): boolean => {
    if (roots.includes(pid)) return true;
    const parent = processes.get(pid)?.parent;
    return parent !== undefined && parent !== 0 && isBelow(parent, roots);
  };
  const sum = (isCounted: (pid: number) => boolean) => {
    let total = 0;
    for (const [pid, { cpu }] of processes) if (isCounted(pid)) total += cpu;
    return total;
  };
  return {
    of: (...roots) => sum((pid) => isBelow(pid, roots)),
    except: (...roots) => sum((pid) => !isBelow(pid, [...roots, kernelThreads])),
  };
}

function readProcesses(): Map<number, ProcessTime> {
  const processes = new Map<number, ProcessTime>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      processes.set(Number(name), parseStat(readFileSync(`/proc/${name}/stat`, 'utf8')));
    } catch {
      // It ended meanwhile.
    }
  }
  return processes;
}

/** The fields after the name, which may contain spaces and parentheses (proc(5)). */
function parseStat(stat: string): ProcessTime {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [parent, user, system, childrenUser, childrenSystem] = [1, 11, 12, 13, 14].map((at) => Number(fields[at]));
  return {
    parent: parent ?? 0,
    cpu: ((user ?? 0) + (system ?? 0) + (childrenUser ?? 0) + (childrenSystem ?? 0)) * tick,
  };
}
