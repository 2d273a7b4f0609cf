import { appendFileSync, statSync, writeFileSync } from 'node:fs';
import { formatCount } from '@tallyhook/platform/durations';
import { TallyhookError } from '@tallyhook/platform/errors';
import { startProgress } from '@tallyhook/platform/terminal/progress';
import type { Terminal } from '@tallyhook/platform/terminal/terminal';
import type { ImportItem, ItemOutcome } from '../../features/imports/items.ts';
import { interpretRow, type RowRules } from './interpret-row.ts';
import { type Fields, type FileOptions, readRows } from './read-rows.ts';

/** Items per transaction: some ms, in which votes wait. */
const itemsAtOnce = 250;

interface WaitingItem {
  readonly item: ImportItem;
  readonly file: string;
  readonly line: number;
}

export interface Crediting {
  readonly report: ImportReport;
  readonly credit: (items: readonly ImportItem[]) => Promise<readonly ItemOutcome[]>;
}

/** Credits items, and reports what became of each. Throws what `credit` throws. */
export async function creditItems(waiting: readonly WaitingItem[], { report, credit }: Crediting): Promise<void> {
  const outcomes = await credit(waiting.map(({ item }) => item));
  for (const [index, { item, file, line }] of waiting.entries()) {
    const outcome = outcomes[index];
    if (outcome !== undefined) report.addItem(item, outcome, { file, line });
  }
}

/**
 * Reads files row by row, and passes what they credit to `credit` in parts.
 * @throws TallyhookError `stopped`, `invalid_import_file`, and what `credit` throws
 */
export async function importFiles(
  files: readonly string[],
  options: FileOptions & Crediting & { readonly rules: RowRules },
  terminal: Terminal,
): Promise<void> {
  const progress = startProgress(terminal, { unit: 'rows' });
  const { rules, report } = options;
  const size = files.reduce((sum, file) => sum + statSync(file).size, 0);
  let waiting: WaitingItem[] = [];
  let read = 0;
  let bytesRead = 0;
  let rows = 0;

  async function creditWaiting(minimum: number): Promise<void> {
    let start = 0;
    for (; waiting.length - start >= minimum && start < waiting.length; start += itemsAtOnce) {
      if (terminal.stop.aborted) {
        report.flush();
        throw new TallyhookError('stopped', 'Stopped.', {
          hint: 'Run it again: it continues, and credits nothing twice.',
        });
      }
      const part = waiting.slice(start, start + itemsAtOnce);
      await creditItems(part, options);
      const left = waiting.length - start - part.length;
      progress.advanceTo(rows - left, ((bytesRead / size) * (rows - left)) / rows);
    }
    if (start > 0) waiting = waiting.slice(start);
  }

  try {
    for (const file of files) {
      for await (const batch of readRows(file, options)) {
        bytesRead = read + batch.bytesRead;
        for (const { line, fields } of batch.rows) {
          report.addRow();
          rows += 1;
          const interpreted = interpretRow(fields, rules);
          if (interpreted.type === 'skipped') report.skip(interpreted.reason);
          else if (interpreted.type === 'rejected') report.reject({ file, line, reason: interpreted.reason });
          else for (const item of interpreted.items) waiting.push({ item, file, line });
          if (waiting.length >= 20 * itemsAtOnce) await creditWaiting(itemsAtOnce);
        }
        await creditWaiting(itemsAtOnce);
        report.flush();
      }
      read += statSync(file).size;
    }
    await creditWaiting(1);
    report.flush();
  } finally {
    progress.end();
  }
}

/** A row that is not imported. */
interface RejectedRow {
  readonly file: string;
  readonly line: number;
  readonly reason: string;
}

/** Rejected rows that are printed for each reason. */
const shownLines = 5;

/**
 * Adds up what became of rows.
 * @param rejectedFile where all rejected rows are listed as CSV; null for nowhere
 */
export function createImportReport(rejectedFile: string | null) {
  const totals = { rows: 0, credits: 0, votes: 0, balances: 0, alreadyImported: 0 };
  const skipped = new Map<string, number>();
  const rejected = new Map<string, { count: number; first: RejectedRow[] }>();
  if (rejectedFile !== null) writeFileSync(rejectedFile, 'file,line,reason\r\n', { flag: 'wx', mode: 0o600 });
  let pending = '';

  function skip(reason: string): void {
    skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
  }

  function reject(row: RejectedRow): void {
    const sum = rejected.get(row.reason) ?? { count: 0, first: [] };
    sum.count += 1;
    if (sum.first.length < shownLines) sum.first.push(row);
    rejected.set(row.reason, sum);
    if (rejectedFile !== null) pending += `"${row.file.replaceAll('"', '""')}",${row.line},"${row.reason}"\r\n`;
  }

  return {
    addRow(): void {
      totals.rows += 1;
    },
    skip,
    reject,
    /** Counts one item of a row. */
    addItem(
      { credits, vote }: ImportItem,
      outcome: ItemOutcome,
      row: { readonly file: string; readonly line: number },
    ) {
      switch (outcome.outcome) {
        case 'credited':
          totals.credits += credits;
          totals[vote === null ? 'balances' : 'votes'] += 1;
          return;
        case 'imported':
          totals.alreadyImported += 1;
          return;
        case 'within_cooldown':
          skip('votes within the cooldown of another one');
          return;
        case 'different':
          reject({ ...row, reason: 'the member has another amount from this import already' });
      }
    },
    /** Writes the rejected rows so far to their file. */
    flush(): void {
      if (rejectedFile !== null && pending !== '') appendFileSync(rejectedFile, pending);
      pending = '';
    },
    rejectedRows: () => [...rejected.values()].reduce((sum, { count }) => sum + count, 0),
    /** Returns whether there is anything to credit. */
    hasCredited: () => totals.balances + totals.votes > 0,
    json: () => ({
      ...totals,
      skipped: Object.fromEntries(skipped),
      rejected: [...rejected].map(([reason, { count, first }]) => ({
        reason,
        count,
        first: first.map(({ file, line }) => ({ file, line })),
      })),
    }),
    /** @param isDone whether it was imported, not only read */
    lines(isDone: boolean): string[] {
      const { rows, credits, votes, balances, alreadyImported } = totals;
      const what = [
        ...(balances > 0 ? [`the balances of ${formatCount(balances, 'member')}`] : []),
        ...(votes > 0 ? [formatCount(votes, 'vote')] : []),
      ];
      const verb = isDone ? 'Imported' : 'Would import';
      const imported =
        what.length === 0 ? `${isDone ? 'Imported' : 'Would import'} nothing` : `${verb} ${what.join(' and ')}`;
      return [
        `${imported} from ${formatCount(rows, 'row')}: ${formatCount(credits, 'credit')}.`,
        ...(alreadyImported > 0 ? [`  ${formatCount(alreadyImported, 'entry', 'entries')} imported before`] : []),
        ...[...skipped].map(([reason, count]) => `  ${count.toLocaleString('en')} left out: ${reason}`),
        ...[...rejected].map(([reason, { count, first }]) => {
          const lines = first.map(({ line }) => line).join(', ');
          return `  ${formatCount(count, 'row')} rejected: ${reason} (line ${lines}${count > first.length ? ', …' : ''})`;
        }),
      ];
    },
  };
}

export type ImportReport = ReturnType<typeof createImportReport>;

/** Rows that are shown. */
const shownRows = 3;

/** How the first rows are understood, for people. */
export function previewRows(sample: readonly Fields[], rules: RowRules, name: string): string[] {
  const columns = Object.entries(rules.columns).map(([field, column]) => `${field} = ${column}`);
  const rows = sample.slice(0, shownRows).map((fields) => `  ${describeRow(fields, rules)}`);
  const kind = rules.rowsAre === 'votes' ? 'One vote per row' : 'One member per row';
  return [`Import "${name}". ${kind}: ${columns.join(', ')}. The first rows:`, ...rows];
}

function describeRow(fields: Fields, rules: RowRules): string {
  const row = interpretRow(fields, rules);
  if (row.type !== 'items') return `${row.type}: ${row.reason}`;
  const [first] = row.items;
  const credits = row.items.reduce((sum, item) => sum + item.credits, 0);
  const votes = row.items.flatMap(({ vote }) => vote ?? []);
  const [vote] = votes;
  const at = vote === undefined ? '' : ` for ${vote.listing} at ${new Date(vote.at).toISOString()}`;
  const counted = votes.length === 0 ? '' : `, ${formatCount(votes.length, 'vote')}${at}`;
  return `${first?.userId}: ${formatCount(credits, 'credit')}${counted}`;
}
