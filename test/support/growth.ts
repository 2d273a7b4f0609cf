import { createContext, Script } from 'node:vm';

/** Length in UTF-16 code units. */
const maxLength = 32 * 1024;
/** Pairs of lengths to compare. The shorter pair is for functions that truncate their input to 16,384 units. */
const comparedLengths = [
  [maxLength / 2, maxLength],
  [maxLength / 4, maxLength / 2],
] as const;
/** Allowed ratio of times if the length doubles. Linear work has a ratio of 2, quadratic work of 4. */
const maxGrowth = 3;
/** Shorter times pass (ms): they are mostly noise, and quadratic work on this length takes longer. */
const minTimeMs = 10;
/** Longer times fail without a comparison (ms). This also limits exponential work. */
const timeoutMs = 10_000;
/** Number of runs, of which the fastest counts. This excludes compilation and garbage collection. */
const runs = 5;
/** Growth counts if each of so many comparisons finds it: a busy machine can disturb all runs of one length. */
const comparisons = 3;

/** A text that can be generated in any length. */
export interface RepeatedText {
  readonly name: string;
  of(length: number): string;
}

/** Describes the first input for which the time of `run` grows faster than linearly; null if there is none. */
export function findSuperlinearGrowth(run: (text: string) => unknown, inputs: readonly RepeatedText[]): string | null {
  for (const input of inputs) {
    const growth = describeGrowth(run, input);
    if (growth !== null) return `${input.name}: ${growth}`;
  }
  return null;
}

function describeGrowth(run: (text: string) => unknown, { of }: RepeatedText): string | null {
  const initialMs = cpuTime(run, of(maxLength));
  if (initialMs < minTimeMs) return null;
  if (initialMs === Number.POSITIVE_INFINITY) return `more than ${timeoutMs} ms for ${maxLength} units`;
  for (const lengths of comparedLengths) {
    let growth = compareTimes(run, of, lengths);
    for (let count = 1; count < comparisons && growth !== null; count += 1) growth = compareTimes(run, of, lengths);
    if (growth !== null) return growth;
  }
  return null;
}

/** Describes a growth that is faster than linear; null if it is not. */
function compareTimes(
  run: (text: string) => unknown,
  of: RepeatedText['of'],
  [length, doubleLength]: readonly [number, number],
): string | null {
  const [shortMs, longMs] = [minCpuTime(run, of(length)), minCpuTime(run, of(doubleLength))];
  if (longMs < minTimeMs || longMs <= maxGrowth * shortMs) return null;
  return `${shortMs.toFixed(1)} ms for ${length} units, ${longMs.toFixed(1)} ms for ${doubleLength}`;
}

function minCpuTime(run: (text: string) => unknown, text: string): number {
  let minMs = Number.POSITIVE_INFINITY;
  // One run is enough if it takes a second.
  for (let round = 0; round < runs && minMs > minTimeMs / 2 && (round === 0 || minMs < 1_000); round += 1) {
    minMs = Math.min(minMs, cpuTime(run, text));
  }
  return minMs;
}

const scope: { run: () => unknown } = { run: () => {} };
const context = createContext(scope);
const script = new Script('run()');

/**
 * Measures the CPU time of this thread (ms), which excludes other programs on a busy machine. Returns infinity after a
 * timeout. Node.js can interrupt a regular expression only in a script with a timeout. Errors of `run` are ignored.
 */
function cpuTime(run: (text: string) => unknown, text: string): number {
  scope.run = () => {
    try {
      run(text);
    } catch {}
  };
  const startUsage = process.threadCpuUsage();
  try {
    script.runInContext(context, { timeout: timeoutMs });
  } catch {
    return Number.POSITIVE_INFINITY;
  }
  const { user, system } = process.threadCpuUsage(startUsage);
  return (user + system) / 1_000;
}
