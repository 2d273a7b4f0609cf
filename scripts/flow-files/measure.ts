import { setTimeout as pause } from 'node:timers/promises';
import { type RepeatedFlow, withFlows } from './flows.ts';
import { type FlowName, limits } from './limits.ts';

/** Calls of a file's functions, each by its place in the file and its name, such as `120 sign`. */
export type Calls = Readonly<Record<string, Readonly<Record<string, number>>>>;

export interface CallsByThread {
  readonly main: Calls;
  readonly writer: Calls;
}

/** What runs whenever a flow runs: the functions of each file, by thread. */
export interface FlowFiles {
  readonly name: FlowName;
  readonly main: ReadonlyMap<string, readonly string[]>;
  readonly writer: ReadonlyMap<string, readonly string[]>;
}

/** A number of files, and the limit for it. */
export interface Figure {
  readonly name: string;
  readonly files: number;
  readonly limit: number;
}

/** Calls that have other causes, such as a loop, can hide a difference or look like one, but not in most rounds. */
const rounds = 3;
/** After each run, for what its last event has started (ms). */
const settleMs = 300;

/**
 * Runs the bot with a listing service and the local Discord, and counts the calls of its functions.
 * @param directory for the databases
 */
export async function measureFlows(directory: string): Promise<readonly FlowFiles[]> {
  const measured: FlowFiles[] = [];
  await withFlows(directory, async (name, flow) => void measured.push({ name, ...(await measureFlow(flow)) }));
  return measured;
}

/** The numbers of files of flows, with their limits. */
export function figuresOf(flows: readonly FlowFiles[]): readonly Figure[] {
  return flows.flatMap(({ name, main, writer }) => {
    const { files, mainFiles = null } = { mainFiles: undefined, ...limits[name] };
    const all = new Set([...main.keys(), ...writer.keys()]);
    return [
      { name, files: all.size, limit: files },
      ...(mainFiles === null ? [] : [{ name: `${name}, main thread alone`, files: main.size, limit: mainFiles }]),
    ];
  });
}

async function measureFlow({ bot, times, moreTimes, run, idle }: RepeatedFlow): Promise<Omit<FlowFiles, 'name'>> {
  let runs = 0;
  let tookMs = 0;
  async function takeCalls(count: number): Promise<CallsByThread> {
    const startedAt = performance.now();
    for (let left = count; left > 0; left -= 1) {
      await run(runs);
      runs += 1;
    }
    tookMs = (performance.now() - startedAt) / count;
    await pause(settleMs);
    return bot.ask<CallsByThread>('takeCalls');
  }
  async function takeIdleCalls(count: number): Promise<CallsByThread> {
    for (let left = count; left > 0; left -= 1) {
      await idle?.();
      await pause(tookMs);
    }
    await pause(settleMs);
    return bot.ask<CallsByThread>('takeCalls');
  }
  // What runs for the first events alone, such as filling the cache, does not count.
  await takeCalls(times);
  const found = { main: new Map<string, number>(), writer: new Map<string, number>() };
  for (let round = 0; round < rounds; round += 1) {
    const [few, many] = [await takeCalls(times), await takeCalls(times + moreTimes)];
    const [fewIdle, manyIdle] = [await takeIdleCalls(times), await takeIdleCalls(times + moreTimes)];
    for (const thread of ['main', 'writer'] as const) {
      const idleCalls = difference(fewIdle[thread], manyIdle[thread]);
      for (const [file, functions] of Object.entries(difference(few[thread], many[thread]))) {
        for (const [name, count] of Object.entries(functions)) {
          if (count - (idleCalls[file]?.[name] ?? 0) < moreTimes) continue;
          const place = `${file} ${name}`;
          found[thread].set(place, (found[thread].get(place) ?? 0) + 1);
        }
      }
    }
  }
  return { main: usual(found.main), writer: usual(found.writer) };
}

/** The functions that were found in most rounds, by file. @param found how often each was, by `file place name` */
function usual(found: ReadonlyMap<string, number>): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, readonly string[]>();
  for (const [place, count] of found) {
    if (count <= rounds / 2) continue;
    const [file = '', ...name] = place.split(' ');
    files.set(file, [...(files.get(file) ?? []), name.join(' ')]);
  }
  return files;
}

/** How many calls more each function has. */
function difference(before: Calls, after: Calls): Calls {
  return Object.fromEntries(
    Object.entries(after).map(([file, functions]) => [
      file,
      Object.fromEntries(Object.entries(functions).map(([name, count]) => [name, count - (before[file]?.[name] ?? 0)])),
    ]),
  );
}
