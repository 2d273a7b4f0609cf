import { statSync } from 'node:fs';
import { TallyhookError } from '@tallyhook/platform/errors';
import { startProgress } from '@tallyhook/platform/terminal/progress';
import type { Terminal } from '@tallyhook/platform/terminal/terminal';
import type { ImportItem, ItemOutcome } from '../../features/imports/items.ts';
import type { ImportReport } from './import-report.ts';
import { interpretRow, type RowRules } from './interpret-row.ts';
import { type FileOptions, readRows } from './read-rows.ts';

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
