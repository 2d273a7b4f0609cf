import type { Report } from './report.ts';

/** How thoroughly to measure. */
export interface Profile {
  /** A minute or two: fewer rounds and shorter runs. The figures are less precise. */
  readonly quick: boolean;
  /** Also records the receiver's memory over a million deliveries. */
  readonly soak: boolean;
  /** Only prints where the receiver spends its CPU time. */
  readonly profile: boolean;
  /** Also measures with a large database, where the small one is the default. */
  readonly full: boolean;
  /** Keeps the large database for the next run. */
  readonly keep: boolean;
  /** An existing directory on a real disk, for the benchmark's files. */
  readonly directory: string;
}

/** One benchmark: produces tables and goals that are met or missed. */
export interface Benchmark {
  /** The name on the command line and in the README. */
  readonly name: string;
  /** What it measures and how, for `--help`. */
  readonly method: string;
  /** The packages that tallyhook is compared with. */
  readonly against: readonly string[];
  /** @throws Error if a contender produced a wrong result: its figures would be meaningless. */
  readonly measure: (profile: Profile, logProgress: LogProgress) => Promise<Report>;
}

/** Prints progress on the terminal. */
export type LogProgress = (progress: string) => void;
