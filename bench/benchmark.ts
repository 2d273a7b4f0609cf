import type { Report } from './report.ts';

/** How thoroughly to measure. */
export interface Profile {
  /** A minute's worth: fewer rounds, shorter runs. The figures are rougher. */
  readonly quick: boolean;
  /** Also watches the memory of the receiver over a million deliveries. */
  readonly soak: boolean;
  /** Leaves the large database in place for the next run. */
  readonly keep: boolean;
  /** A directory on a real disk for whatever the benchmark stores. It is there already. */
  readonly directory: string;
}

/** One question about speed, with an answer in tables and in goals met or missed. */
export interface Benchmark {
  /** Names it on the command line and in the README. */
  readonly name: string;
  /** The packages that tallyhook is measured against. */
  readonly against: readonly string[];
  /** @throws Error where what was measured did not do its work: a figure of wrong answers is none. */
  readonly measure: (profile: Profile, logProgress: LogProgress) => Promise<Report>;
}

/** Says on the terminal what is going on. */
export type LogProgress = (progress: string) => void;
