import { appendFileSync, writeFileSync } from 'node:fs';
import { formatCount } from '@tallyhook/platform/durations';
import type { ImportItem, ItemOutcome } from '../../features/imports/items.ts';
import type { Fields } from './fields.ts';
import { interpretRow, type RowRules } from './interpret-row.ts';

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
    /** Whether there is anything to credit. */
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
