import type { LogProgress } from '../benchmark.ts';
import { median } from '../samples.ts';
import type { ContenderName } from './contender.ts';
import type { Measurement, RunningContender } from './contender-runner.ts';

/** Number and length of the runs. */
export interface Schedule {
  readonly rounds: number;
  /** Length of a run (s). */
  readonly seconds: number;
  /** Whether they also run at half of the Express sample's rate. */
  readonly alsoHalf: boolean;
}

/** One contender's figures: medians over the rounds. */
export interface ContenderResult {
  readonly contender: RunningContender;
  readonly saturated: Measurement;
  /** At half the Express sample's rate; null if that exceeds the contender's own rate. */
  readonly half: Measurement | null;
  /** Its rate divided by another contender's rate in the same round, median. */
  over(name: ContenderName): number;
  /** Resident memory at the end (MB). */
  readonly resident: number;
}

/** Requests before the warm-up, to estimate the rate. */
const warmupRequests = 1_000;
/** Fraction of its own rate that a contender is expected to sustain. */
const room = 0.9;

/** Runs the contenders in turns, each round in a different order, so that a busy machine affects all of them. */
export async function compare(
  contenders: readonly RunningContender[],
  schedule: Schedule,
  logProgress: LogProgress,
): Promise<ContenderResult[]> {
  const { rounds, seconds, alsoHalf } = schedule;
  const rates = new Map<ContenderName, number>();
  for (const contender of contenders) {
    logProgress(`warming up ${contender.name}`);
    let { rate } = await contender.run(warmupRequests);
    // Twice, so that V8 has compiled the hot code.
    for (let times = 0; times < 2; times += 1) ({ rate } = await contender.run(Math.ceil(rate * seconds)));
    rates.set(contender.name, rate);
  }

  const saturated = await inTurns(contenders, rounds, async (contender, round) => {
    const measured = await contender.run(Math.ceil((rates.get(contender.name) ?? warmupRequests) * seconds));
    logProgress(`round ${round + 1} of ${rounds}: ${contender.name} ${Math.round(measured.rate)}/s`);
    return measured;
  });
  const rateOf = (name: ContenderName) => median((saturated.get(name) ?? []).map(({ rate }) => rate));

  const halfRate = rateOf('express') / 2;
  const able = contenders.filter(({ name }) => alsoHalf && rateOf(name) * room > halfRate);
  const half = await inTurns(able, rounds, async (contender, round) => {
    const measured = await contender.run(Math.ceil(halfRate * seconds), { rate: halfRate });
    logProgress(
      `round ${round + 1} of ${rounds} at ${Math.round(halfRate)}/s: ${contender.name} p99 ${measured.p99.toFixed(1)} ms`,
    );
    return measured;
  });

  return Promise.all(
    contenders.map(async (contender) => {
      const own = saturated.get(contender.name) ?? [];
      return {
        contender,
        saturated: medians(own),
        half: half.has(contender.name) ? medians(half.get(contender.name) ?? []) : null,
        over: (name) => median(own.map(({ rate }, round) => rate / (saturated.get(name)?.[round]?.rate ?? Number.NaN))),
        resident: (await contender.memory()).resident,
      };
    }),
  );
}

async function inTurns(
  contenders: readonly RunningContender[],
  rounds: number,
  run: (contender: RunningContender, round: number) => Promise<Measurement>,
): Promise<Map<ContenderName, Measurement[]>> {
  const measured = new Map<ContenderName, Measurement[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const order = [...contenders.slice(round % contenders.length), ...contenders.slice(0, round % contenders.length)];
    for (const contender of order) measured.get(contender.name)?.push(await run(contender, round));
  }
  return measured;
}

function medians(runs: readonly Measurement[]): Measurement {
  const of = (pick: (run: Measurement) => number) => median(runs.map(pick));
  return {
    accepted: of(({ accepted }) => accepted),
    rate: of(({ rate }) => rate),
    p50: of(({ p50 }) => p50),
    p99: of(({ p99 }) => p99),
    cpu: of(({ cpu }) => cpu),
    senderCpu: of(({ senderCpu }) => senderCpu),
  };
}
