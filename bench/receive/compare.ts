import type { LogProgress } from '../benchmark.ts';
import { median } from '../samples.ts';
import type { ContenderName } from './contender.ts';
import type { Measurement, RunningContender, RunOptions } from './contender-runner.ts';

/** At saturation from wrk or our own sender, or at half of the Express sample's rate from our own. */
export type RunKind = 'wrk' | 'own' | 'half';

/** Number and length of the runs. */
export interface Schedule {
  readonly rounds: number;
  /** Length of a run (s). */
  readonly seconds: number;
  /** In each round all contenders run in turns, once for each of these. The goals use the first one. */
  readonly kinds: readonly RunKind[];
}

/** One contender's figures over the rounds. */
export interface ContenderResult {
  readonly contender: RunningContender;
  /** Its medians; null if it did not run so. */
  of(kind: RunKind): Measurement | null;
  /**
   * The median over the rounds of its figure divided by another contender's in the same round. A round in which only
   * the other one ran counts as infinite: a rate that it does not sustain.
   */
  over(name: ContenderName, kind: RunKind, figure: keyof Measurement): number;
  /** Resident memory at the end (MB). */
  readonly resident: number;
}

/** Requests before the warm-up, to estimate the rate. */
const warmupRequests = 1_000;
/** Fraction of its own rate that a contender is expected to sustain. */
const room = 0.9;
/** A contender that is much slower than the others still sends this many, for its percentiles. */
const minRequests = 200;
/** From here on other programs make the figures useless (cores). */
export const maxOtherPrograms = 0.2;

/** Measurements by round. A round in which a contender did not run has none. */
type Runs = Map<RunKind, Map<ContenderName, (Measurement | undefined)[]>>;

/** Runs the contenders in turns, so that what changes on the machine affects all of them. Each round begins with another one. */
export async function compare(
  contenders: readonly RunningContender[],
  { rounds, seconds, kinds }: Schedule,
  logProgress: LogProgress,
): Promise<ContenderResult[]> {
  const rates = await warmUp(contenders, seconds, logProgress);
  const runs: Runs = new Map(kinds.map((kind) => [kind, new Map(contenders.map(({ name }) => [name, []]))]));

  async function run(contender: RunningContender, kind: RunKind): Promise<Measurement | undefined> {
    const rateOf = (name: ContenderName) => rates.get(name) ?? Number.NaN;
    const own = rateOf(contender.name);
    // Of the same round, in which all have already run at saturation.
    const halfRate = rateOf('express') / 2;
    if (kind === 'half' && own * room < halfRate) return undefined;
    const options: RunOptions = kind === 'half' ? { rate: halfRate } : { sender: kind };
    const measured = await contender.run(requestCount(kind === 'half' ? halfRate : own, seconds), options);
    if (kind !== 'half') rates.set(contender.name, measured.rate);
    return measured;
  }

  for (let round = 0; round < rounds; round += 1) {
    const begin = round % contenders.length;
    const order = [...contenders.slice(begin), ...contenders.slice(0, begin)];
    for (const kind of kinds) {
      for (const contender of order) {
        const measured = await run(contender, kind);
        runs.get(kind)?.get(contender.name)?.push(measured);
        if (measured !== undefined)
          logProgress(`round ${round + 1} of ${rounds}, ${describe(contender.name, kind, measured)}`);
      }
    }
  }
  return Promise.all(
    contenders.map(async (contender) => ({
      ...figuresOf(contender.name, runs),
      contender,
      resident: (await contender.memory()).resident,
    })),
  );
}

/** Returns the rates. */
async function warmUp(
  contenders: readonly RunningContender[],
  seconds: number,
  logProgress: LogProgress,
): Promise<Map<ContenderName, number>> {
  const rates = new Map<ContenderName, number>();
  for (const contender of contenders) {
    logProgress(`warming up ${contender.name}`);
    let { rate } = await contender.run(warmupRequests);
    // Twice, so that V8 has compiled the hot code.
    for (let times = 0; times < 2; times += 1) ({ rate } = await contender.run(requestCount(rate, seconds)));
    rates.set(contender.name, rate);
  }
  return rates;
}

function requestCount(rate: number, seconds: number): number {
  return Math.max(minRequests, Math.ceil(rate * seconds));
}

function figuresOf(name: ContenderName, runs: Runs): Pick<ContenderResult, 'of' | 'over'> {
  const own = (kind: RunKind) => runs.get(kind)?.get(name) ?? [];
  return {
    of(kind) {
      const measured = own(kind).filter((each) => each !== undefined);
      return measured.length === 0 ? null : medians(measured);
    },
    over(other, kind, figure) {
      const others = runs.get(kind)?.get(other) ?? [];
      const ratios = own(kind).map(
        (measured, round) => (measured?.[figure] ?? Number.POSITIVE_INFINITY) / (others[round]?.[figure] ?? Number.NaN),
      );
      return median(ratios.filter((ratio) => !Number.isNaN(ratio)));
    },
  };
}

function describe(name: ContenderName, kind: RunKind, { rate, p99, otherPrograms }: Measurement): string {
  const warning = otherPrograms > maxOtherPrograms ? ` (other programs used ${otherPrograms.toFixed(2)} cores)` : '';
  return `${kind}: ${name} ${Math.round(rate)}/s, p99 ${p99.toFixed(1)} ms${warning}`;
}

function medians(runs: readonly Measurement[]): Measurement {
  const of = (figure: keyof Measurement) => median(runs.map((run) => run[figure]));
  return {
    accepted: of('accepted'),
    rate: of('rate'),
    p50: of('p50'),
    p99: of('p99'),
    cpu: of('cpu'),
    mainCpu: of('mainCpu'),
    workerCpu: of('workerCpu'),
    otherCpu: of('otherCpu'),
    senderCpu: of('senderCpu'),
    otherPrograms: of('otherPrograms'),
  };
}
