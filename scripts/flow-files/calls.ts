import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Calls of a file's functions, each by its place in the file and its name, such as `120 sign`. */
export type Calls = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Calls since they were read before. */
export interface CallsByThread {
  readonly main: Calls;
  readonly writer: Calls;
}

/** The part of V8's coverage that is used. */
interface Coverage {
  readonly result: readonly { readonly url: string; readonly functions: readonly CoveredFunction[] }[];
}

interface CoveredFunction {
  readonly functionName: string;
  /** The first range is the function itself. */
  readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
}

const program = /^(?:src|commands|config)\//;

/** The calls of the program's functions by file, without those of its packages and of scripts. */
export function readCalls(coverage: unknown, root: string): Calls {
  const calls: Record<string, Record<string, number>> = {};
  for (const { url, functions } of (coverage as Coverage).result) {
    const file = url.startsWith('file:') ? relative(root, fileURLToPath(url)) : '';
    if (program.test(file)) calls[file] = callsOf(functions);
  }
  return calls;
}

function callsOf(functions: readonly CoveredFunction[]): Record<string, number> {
  return Object.fromEntries(
    functions.map(({ functionName, ranges: [own] }) => [`${own?.startOffset} ${functionName}`, own?.count ?? 0]),
  );
}

/** The functions that were called at least so many times more, by file. */
export function findMoreCalls(before: Calls, after: Calls, times: number): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [file, functions] of Object.entries(after)) {
    const more = Object.keys(functions).filter((name) => (functions[name] ?? 0) - (before[file]?.[name] ?? 0) >= times);
    if (more.length > 0) found.set(file, more);
  }
  return found;
}
