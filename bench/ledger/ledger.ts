import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Benchmark } from '../benchmark.ts';
import { figure, type Goal, type Report, type Table, within } from '../report.ts';
import { type LedgerResult, measureLedger } from './ledger-run.ts';

const sizes = [10_000, 100_000, 1_000_000, 10_000_000];
const quickSizes = sizes.slice(0, 3);

/** How long a page may take whose leaderboard is counted, but which nobody has asked for yet (ms). */
const maxPageMs = 100;

const method = `Ten million votes of a million members, and three smaller sizes, written by set-based SQL into \`data/bench/ledger\`
(8 GB, several minutes; \`--keep\` keeps it for the next run). Each query and each credit then uses the program's own
ports, one at a time, for members in random order. The file is read once before, so that the page cache has it if it
fits into memory; what an operation reads from the disk nevertheless is in the table (\`read_bytes\` of
/proc/self/io). A vote on disk is its delivery with the body, its key, its entry, its finished announcement and its
share of the balances.`;

/** The cost of a large ledger: ten million entries of a million members. */
export const ledger: Benchmark = {
  name: 'ledger',
  method,
  against: [],
  async measure(profile, logProgress) {
    const directory = join(profile.directory, 'ledger');
    mkdirSync(directory, { recursive: true });
    try {
      const reports: LedgerResult[] = [];
      for (const entries of profile.quick ? quickSizes : sizes) {
        // The measurement adds votes, so the file kept for the next run is slightly larger.
        reports.push(
          await measureLedger(join(directory, `${entries}.db`), entries, profile.quick ? 500 : 2_000, logProgress),
        );
      }
      return report(reports);
    } finally {
      if (!profile.keep) rmSync(directory, { recursive: true, force: true });
    }
  },
};

function report(reports: readonly LedgerResult[]): Report {
  const largest = reports.at(-1);
  const at = `at ${largest?.entries.toLocaleString('en-US')} entries`;
  const goals: Goal[] = [...(largest?.p99 ?? [])].map(([name, p99]) => within(`p99 ${at}`, 5, p99, 'ms', name));
  goals.push(within(`another page of a leaderboard ${at}`, maxPageMs, largest?.anotherPage ?? Number.NaN, 'ms'));
  return { goals, tables: [growth(reports)], notes: [] };
}

function growth(reports: readonly LedgerResult[]): Table {
  const names = [...(reports[0]?.p99.keys() ?? [])];
  const row = (name: string, cell: (measured: LedgerResult) => string) => [name, ...reports.map(cell)];
  return {
    caption:
      'By entries, a tenth as many members. Times in ms, p50 / p99, and bytes read from the disk; one vote at a time.',
    columns: ['', ...reports.map(({ entries }) => entries.toLocaleString('en-US'))],
    rows: [
      ...names.map((name) =>
        row(name, (measured) => {
          const [p50, p99, bytes] = [measured.p50, measured.p99, measured.diskBytes].map((of) =>
            figure(of.get(name) ?? Number.NaN),
          );
          return `${p50} / ${p99}, ${bytes} B`;
        }),
      ),
      row('a new ranking, time / CPU time', ({ ranking, rankingCpu }) => `${figure(ranking)} / ${figure(rankingCpu)}`),
      row('another page of it', ({ anotherPage }) => figure(anotherPage)),
      row('bytes on disk per vote', ({ bytesPerVote }) => figure(bytesPerVote)),
      row('opening', ({ opening }) => figure(opening)),
    ],
  };
}
