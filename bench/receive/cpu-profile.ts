import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file that `node --cpu-prof` writes when a thread ends. Times in µs of the system's monotonic clock. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly startTime: number;
  readonly samples: readonly number[];
  /** From the sample before; the first from `startTime`. */
  readonly timeDeltas: readonly number[];
}

/** A function and the time that it ran itself, without those it called (µs). */
export interface SelfTime {
  readonly name: string;
  readonly time: number;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The profiles in a directory: of the main thread, which has the number 0, and of the worker threads. */
export function readCpuProfiles(directory: string): { main: CpuProfile[]; worker: CpuProfile[] } {
  const profiles = { main: [] as CpuProfile[], worker: [] as CpuProfile[] };
  for (const name of readdirSync(directory)) {
    // CPU.<date>.<time>.<process>.<thread>.<number>.cpuprofile
    const [, thread] = /\.(\d+)\.\d+\.cpuprofile$/.exec(name) ?? [];
    if (thread === undefined) continue;
    profiles[thread === '0' ? 'main' : 'worker'].push(JSON.parse(readFileSync(join(directory, name), 'utf8')));
  }
  return profiles;
}

/** The functions between two times of the monotonic clock (µs), longest first. */
export function selfTimes(profile: CpuProfile, from: number, to: number): SelfTime[] {
  const names = new Map(profile.nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const times = new Map<string, number>();
  let now = profile.startTime + (profile.timeDeltas[0] ?? 0);
  profile.samples.forEach((node, at) => {
    const begin = now;
    // A sample counts until the next one.
    now += profile.timeDeltas[at + 1] ?? 0;
    if (begin < from || now > to) return;
    const name = names.get(node) ?? '(unknown)';
    times.set(name, (times.get(name) ?? 0) + now - begin);
  });
  return [...times].map(([name, time]) => ({ name, time })).sort((one, other) => other.time - one.time);
}

/** `name (file:line)`, the file relative to the repository. V8's own states, such as `(idle)`, have no file. */
function nameOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string {
  const name = functionName === '' ? '(anonymous)' : functionName;
  if (url === '') return name;
  const file = url.startsWith('file:') ? relative(root, fileURLToPath(url)) : url;
  return `${name} (${file}:${lineNumber + 1})`;
}
