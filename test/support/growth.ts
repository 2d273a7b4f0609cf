import { createContext, Script } from 'node:vm';

/** UTF-16 units. */
const maxLength = 64 * 1024;
/** Lengths that are compared: what a function cuts to 16,384 units shows how it grows only below that. */
const comparedLengths = [
  [maxLength / 2, maxLength],
  [maxLength / 8, maxLength / 4],
] as const;
/** Twice the input may take 3 times as long: linear work takes 2 times, quadratic work 4 times. */
const maxGrowth = 3;
/** What takes less than this (ms) passes: quadratic work on so long a text takes more, and shorter times are mostly noise. */
const minTimeMs = 10;
/** What takes longer than this (ms) fails without a comparison, so that exponential work ends, too. */
const timeoutMs = 10_000;
/** The fastest of so many runs counts, which leaves out compilation and garbage collection. */
const runs = 5;

/** A text of any length. */
export interface RepeatedText {
  readonly name: string;
  of(length: number): string;
}

/** The first input with which a function's time grows too much, and how; null where there is none. */
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
  for (const [length, doubleLength] of comparedLengths) {
    const [shortMs, longMs] = [minCpuTime(run, of(length)), minCpuTime(run, of(doubleLength))];
    if (longMs >= minTimeMs && longMs > maxGrowth * shortMs) {
      return `${shortMs.toFixed(1)} ms for ${length} units, ${longMs.toFixed(1)} ms for ${doubleLength}`;
    }
  }
  return null;
}

function minCpuTime(run: (text: string) => unknown, text: string): number {
  let minMs = Number.POSITIVE_INFINITY;
  // What takes a second needs no second look.
  for (let round = 0; round < runs && minMs > minTimeMs / 2 && (round === 0 || minMs < 1_000); round += 1) {
    minMs = Math.min(minMs, cpuTime(run, text));
  }
  return minMs;
}

const scope: { run: () => unknown } = { run: () => {} };
const context = createContext(scope);
const script = new Script('run()');

/**
 * CPU time of this thread (ms), so that other programs on a busy machine do not count; infinite where it does not end. Node can interrupt
 * a regular expression only inside of a script with a timeout. What is thrown is an answer like any other.
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
