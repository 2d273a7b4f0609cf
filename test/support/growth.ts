import { createContext, Script } from 'node:vm';

/** UTF-16 units. */
const full = 64 * 1024;
/** Lengths that are compared: what a function cuts to 16,384 units shows how it grows only below that. */
const pairs = [
  [full / 2, full],
  [full / 8, full / 4],
] as const;
/** Twice the input may take 3 times as long: linear work takes 2 times, quadratic work 4 times. */
const maxGrowth = 3;
/** What takes less than this (ms) passes: quadratic work on so long a text takes more, and shorter times are mostly noise. */
const floor = 10;
/** What takes longer than this (ms) fails without a comparison, so that exponential work ends, too. */
const timeout = 10_000;
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
    const excess = excessOf(run, input);
    if (excess !== null) return `${input.name}: ${excess}`;
  }
  return null;
}

function excessOf(run: (text: string) => unknown, { of }: RepeatedText): string | null {
  const first = cpuTime(run, of(full));
  if (first < floor) return null;
  if (first === Number.POSITIVE_INFINITY) return `more than ${timeout} ms for ${full} units`;
  for (const [length, twice] of pairs) {
    const [short, long] = [fastest(run, of(length)), fastest(run, of(twice))];
    if (long >= floor && long > maxGrowth * short) {
      return `${short.toFixed(1)} ms for ${length} units, ${long.toFixed(1)} ms for ${twice}`;
    }
  }
  return null;
}

function fastest(run: (text: string) => unknown, text: string): number {
  let best = Number.POSITIVE_INFINITY;
  // What takes a second needs no second look.
  for (let round = 0; round < runs && best > floor / 2 && (round === 0 || best < 1_000); round += 1) {
    best = Math.min(best, cpuTime(run, text));
  }
  return best;
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
  const before = process.threadCpuUsage();
  try {
    script.runInContext(context, { timeout });
  } catch {
    return Number.POSITIVE_INFINITY;
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
