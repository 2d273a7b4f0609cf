import type { LogProgress } from '../benchmark.ts';
import type { RunningContender } from '../receive/contender-runner.ts';
import { median } from '../samples.ts';
import type { CoreLoad, Installation, ScaleRun } from './receivers.ts';

/** Votes before the warm-up, to estimate the rate. */
const firstVotes = 200;

/** Number and length of the runs. */
export interface Schedule {
  readonly rounds: number;
  /** Length of a run (s). */
  readonly seconds: number;
}

/** The figures of one installation under one condition: medians over the rounds, except for the sums. */
export interface InstallationResult {
  readonly receivers: number;
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  /** Of all rounds together. */
  readonly refused: number;
  /** Per vote (µs). */
  readonly cpu: ScaleRun['cpu'];
  /** Its rate divided by that of one receiver in the same round. */
  readonly overOne: number;
  /** The same for rate and CPU time of Node and database per vote, of the Express sample. NaN without it. */
  readonly overExpress: number;
  readonly cpuOverExpress: { readonly node: number; readonly database: number };
  readonly load: CoreLoad;
}

export interface ScalingResult {
  readonly installations: readonly InstallationResult[];
  /** Of the Express sample: requests per second, times (ms) and CPU per request (µs); null if it did not take part. */
  readonly express: { readonly rate: number; readonly p50: number; readonly p99: number; readonly cpu: number } | null;
}

/**
 * Runs the installations in turns, each round in a different order, so that a busy machine affects all of them.
 * @param connections the number for an installation
 */
export async function measureScaling(
  { installations, express }: { installations: readonly Installation[]; express: RunningContender | null },
  connections: (receivers: number) => number,
  { rounds, seconds }: Schedule,
  logProgress: LogProgress,
): Promise<ScalingResult> {
  const rates = new Map<Installation | 'express', number>();
  async function run(each: Installation, length: number): Promise<ScaleRun> {
    const estimate = rates.get(each);
    const count = estimate === undefined ? firstVotes : Math.max(firstVotes, Math.ceil(estimate * length));
    const measured = await each.run(count, { connections: connections(each.receivers) });
    rates.set(each, measured.rate);
    return measured;
  }
  async function runExpress(contender: RunningContender) {
    const measured = await contender.run(Math.ceil((rates.get('express') ?? 2_000) * seconds));
    rates.set('express', measured.rate);
    return measured;
  }

  for (const each of installations) {
    await run(each, 0);
    await run(each, seconds / 2);
    await run(each, seconds);
  }
  if (express !== null) for (let times = 0; times < 2; times += 1) await runExpress(express);

  const expressRuns: Awaited<ReturnType<typeof runExpress>>[] = [];
  const runs = new Map<Installation, ScaleRun[]>(installations.map((each) => [each, []]));
  for (let round = 0; round < rounds; round += 1) {
    if (express !== null) expressRuns.push(await runExpress(express));
    for (const each of rotated(installations, round)) runs.get(each)?.push(await run(each, seconds));
    const summary = installations.map((each) => Math.round(runs.get(each)?.at(-1)?.rate ?? 0)).join(', ');
    logProgress(`round ${round + 1} of ${rounds}: ${summary} votes/s`);
  }

  const [one] = installations.filter(({ receivers }) => receivers === 1);
  const ofOne = one === undefined ? [] : (runs.get(one) ?? []);
  return {
    installations: installations.map((each) => {
      const own = runs.get(each) ?? [];
      const of = (pick: (run: ScaleRun) => number) => median(own.map(pick));
      const over = (pick: (run: ScaleRun) => number, base: (round: number) => number | undefined) =>
        median(own.map((run, round) => pick(run) / (base(round) ?? Number.NaN)));
      return {
        receivers: each.receivers,
        rate: of(({ rate }) => rate),
        p50: of(({ p50 }) => p50),
        p99: of(({ p99 }) => p99),
        refused: own.reduce((total, { rejections }) => total + rejections.length, 0),
        cpu: {
          node: of(({ cpu }) => cpu.node),
          database: of(({ cpu }) => cpu.database),
          proxy: of(({ cpu }) => cpu.proxy),
        },
        overOne: over(
          ({ rate }) => rate,
          (round) => ofOne[round]?.rate,
        ),
        overExpress: over(
          ({ rate }) => rate,
          (round) => expressRuns[round]?.rate,
        ),
        cpuOverExpress: {
          node: over(
            ({ cpu }) => cpu.node,
            (round) => expressRuns[round]?.cpu,
          ),
          database: over(
            ({ cpu }) => cpu.database,
            (round) => expressRuns[round]?.cpu,
          ),
        },
        load: {
          others: of(({ load }) => load.others),
          own: of(({ load }) => load.own),
          proxy: of(({ load }) => load.proxy),
          sender: of(({ load }) => load.sender),
        },
      };
    }),
    express:
      express === null
        ? null
        : {
            rate: median(expressRuns.map(({ rate }) => rate)),
            p50: median(expressRuns.map(({ p50 }) => p50)),
            p99: median(expressRuns.map(({ p99 }) => p99)),
            cpu: median(expressRuns.map(({ cpu }) => cpu)),
          },
  };
}

function rotated<T>(list: readonly T[], by: number): readonly T[] {
  const at = by % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}
