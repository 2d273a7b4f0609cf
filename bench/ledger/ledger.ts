import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Benchmark } from '../benchmark.ts';
import { figure, type Goal, type Report, type Table, within } from '../report.ts';
import { type Measured, measureLedger } from './measured.ts';

const sizes = [10_000, 100_000, 1_000_000, 10_000_000];
const quickSizes = sizes.slice(0, 3);

/** What a ledger costs that has grown for years: ten million entries of a million members. */
export const ledger: Benchmark = {
  name: 'ledger',
  against: [],
  async measure(how, tell) {
    const directory = join(how.directory, 'ledger');
    mkdirSync(directory, { recursive: true });
    try {
      const found: Measured[] = [];
      for (const entries of how.quick ? quickSizes : sizes) {
        // Votes are added to it while it is measured, so what is kept for the next run is a little larger.
        found.push(await measureLedger(join(directory, `${entries}.db`), entries, how.quick ? 500 : 2_000, tell));
      }
      return report(found);
    } finally {
      if (!how.keep) rmSync(directory, { recursive: true, force: true });
    }
  },
};

function report(found: readonly Measured[]): Report {
  const largest = found.at(-1);
  const goals: Goal[] = [...(largest?.p99 ?? [])].map(([name, p99]) =>
    within(`${name}, p99 at ${largest?.entries.toLocaleString('en-US')} entries`, 5, p99, 'ms'),
  );
  return { goals, tables: [growth(found)], notes: [] };
}

function growth(found: readonly Measured[]): Table {
  const names = [...(found[0]?.p99.keys() ?? [])];
  const row = (name: string, cell: (measured: Measured) => string) => [name, ...found.map(cell)];
  return {
    caption: 'By entries, a tenth as many members. Times in ms, p50 / p99; one vote at a time.',
    columns: ['', ...found.map(({ entries }) => entries.toLocaleString('en-US'))],
    rows: [
      ...names.map((name) =>
        row(name, ({ p50, p99 }) => `${figure(p50.get(name) ?? Number.NaN)} / ${figure(p99.get(name) ?? Number.NaN)}`),
      ),
      row('a new ranking, at most twice a minute', ({ ranking }) => figure(ranking)),
      row('bytes on disk per vote', ({ bytesPerVote }) => figure(bytesPerVote)),
      row('migration from the first schema', ({ migration }) => (migration === null ? '–' : figure(migration))),
      row('opening', ({ opening }) => figure(opening)),
    ],
  };
}
