import { parseArgs } from 'node:util';

export const help = `Measures how fast tallyhook is, beside what people would use instead.

  npm run bench                        everything, in about 40 minutes
  npm run bench -- receive --quick     one benchmark, roughly, in two minutes
  npm run bench -- receive --help      what it measures, and how

  --quick     fewer rounds and shorter runs
  --write     put the results into the column of this machine in bench/README.md
  --soak      receive: also a million votes through one receiver, watching its memory
  --profile   receive: instead of the comparison, the functions that take most of the time of each thread
  --full      service: also with 10,000,000 votes
  --keep      ledger, communities, service: leave the large databases in data/bench for the next run

The benchmarks are`;

export interface Arguments {
  readonly names: readonly string[];
  readonly quick: boolean;
  readonly write: boolean;
  readonly soak: boolean;
  readonly profile: boolean;
  readonly full: boolean;
  readonly keep: boolean;
  readonly help: boolean;
}

/**
 * The parsed arguments; all benchmarks if none is named.
 * @throws Error for an unknown benchmark or option, or --profile with --write
 */
export function parseArguments(args: readonly string[], known: readonly string[]): Arguments {
  const flag = { type: 'boolean', default: false } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: flag,
      write: flag,
      soak: flag,
      profile: flag,
      full: flag,
      keep: flag,
      help: { ...flag, short: 'h' },
    },
  });
  const unknown = positionals.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`There is no benchmark "${unknown}". There are ${known.join(', ')}.`);
  if (values.profile && values.write) throw new Error('--profile has no result for the README: leave out --write.');
  return { ...values, names: positionals.length === 0 ? known : positionals };
}
