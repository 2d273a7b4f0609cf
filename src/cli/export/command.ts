import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isOnCalendar } from '../../platform/clock.ts';
import { TallyhookError } from '../../platform/errors.ts';
import { writeFileAtomically } from '../../store/snapshots/atomic-file.ts';
import { readDatabaseStatus } from '../../store/snapshots/database-status.ts';
import { type EntrySelection, entryPages, type NumberedEntry } from '../../store/snapshots/entry-pages.ts';
import { openSnapshot } from '../../store/snapshots/open-snapshot.ts';
import type { Snapshot } from '../../store/snapshots/snapshot.ts';
import { parseOptions } from '../../terminal/parse-options.ts';
import { exitCode, type Terminal, UsageError } from '../../terminal/terminal.ts';
import { withDatabase } from '../../terminal/with-config.ts';
import { type Format, formats } from './format.ts';
import { createSummary } from './summary.ts';

const help = `tallyhook export: prints every entry of the ledger, oldest first, as it is at one moment

  --format jsonl|csv  JSON lines (the default), or CSV with a header line (RFC 4180)
  --out FILE          write a file that only its owner may read, instead of printing; a file that is there is not overwritten
  --user ID           the entries of one user only
  --since DATE        entries of events from then on, such as 2026-11-01 or 2026-11-01T12:00:00Z; a date alone is
                      midnight, and a time without a zone is UTC
  --json              print the summary as one JSON object: {entries, credits}

Progress and a summary go to stderr.
Fields: id, userId, listing, credits, cause, reason, at, deliveryId. In CSV a text that a spreadsheet would run as a
formula begins with an apostrophe. Spreadsheets round long numbers: import the column userId as text.`;

/** `tallyhook export`. */
export async function exportCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  const text = { type: 'string' } as const;
  const options = {
    help: { type: 'boolean', short: 'h', default: false },
    format: { ...text, default: 'jsonl' },
    out: text,
    user: text,
    since: text,
    json: { type: 'boolean', default: false },
  } as const;
  const { values } = parseOptions({ args: [...args], options });
  if (values.help) {
    terminal.print(help);
    return exitCode.ok;
  }
  const format = formatNamed(values.format);
  const selection = { userId: userIn(values.user), since: momentIn(values.since) };
  return withDatabase(terminal, async (url) => {
    const snapshot = await openLedger(url);
    try {
      const summary = createSummary(terminal.printError);
      const lines = Readable.from(linesOf(snapshot, selection, format, summary.add));
      if (values.out !== undefined) await write(lines, values.out, terminal.stop);
      else if (!(await print(lines, terminal.stop))) return exitCode.ok;
      terminal.printError(values.json ? summary.asJson() : summary.asText());
      return exitCode.ok;
    } finally {
      await snapshot.close();
    }
  });
}

async function* linesOf(
  snapshot: Snapshot,
  selection: EntrySelection,
  { header: head, line }: Format,
  onPage: (page: readonly NumberedEntry[]) => void,
): AsyncGenerator<string> {
  if (head !== '') yield head;
  for await (const page of entryPages(snapshot, selection)) {
    yield page.map(line).join('');
    onPage(page);
  }
}

/** Whether all was printed: the reader may stop reading, as `head` does, and that is no fault. */
async function print(lines: Readable, stop: AbortSignal): Promise<boolean> {
  try {
    await pipeline(lines, process.stdout, { end: false, signal: stop });
    return true;
  } catch (error) {
    const isOver = stop.aborted || (error instanceof Error && 'code' in error && error.code === 'EPIPE');
    if (!isOver) throw error;
    return false;
  }
}

/** The file is there whole or not at all. Throws what {@link writeFileAtomically} throws, and TallyhookError `stopped`. */
function write(lines: Readable, path: string, stop: AbortSignal): Promise<void> {
  return writeFileAtomically(path, async (partial) => {
    try {
      await pipeline(lines, createWriteStream(partial), { signal: stop });
    } catch (error) {
      throw stop.aborted ? new TallyhookError('stopped', 'The export was stopped. Nothing is left of it.') : error;
    }
  });
}

/** Throws TallyhookError `no_ledger`. */
async function openLedger(url: string): Promise<Snapshot> {
  const standing = await readDatabaseStatus(url);
  if (standing.state === 'current' || standing.state === 'older') return openSnapshot(url);
  const why = standing.state === 'unreadable' ? `: ${standing.reason}` : ` (${standing.state})`;
  throw new TallyhookError('no_ledger', `There is no ledger that can be read${why}.`, {
    hint: 'Check DATABASE_URL; `tallyhook doctor` says more.',
  });
}

function formatNamed(name: string): Format {
  if (name === 'jsonl' || name === 'csv') return formats[name];
  throw new UsageError('--format takes jsonl or csv.');
}

function userIn(id: string | undefined): string | null {
  if (id === undefined) return null;
  if (!/^\d{1,20}$/.test(id)) throw new UsageError('--user takes a Discord id: 1 to 20 digits.');
  return id;
}

/** A date alone is midnight, and a time without a zone is UTC (ms since the epoch). */
function momentIn(date: string | undefined): number | null {
  if (date === undefined) return null;
  const isZoned = /(Z|[+-]\d\d:\d\d)$/.test(date) || !date.includes('T');
  const isDate = /^\d{4}-\d\d-\d\d(T.*)?$/.test(date) && isOnCalendar(date.slice(0, 10));
  const moment = isDate ? Date.parse(isZoned ? date : `${date}Z`) : Number.NaN;
  if (Number.isNaN(moment)) throw new UsageError('--since takes a date such as 2026-11-01 or 2026-11-01T12:00:00Z.');
  return moment;
}
