import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { writeFileAtomically } from '@tallyhook/platform/database/snapshots/atomic-file';
import { formatCount } from '@tallyhook/platform/durations';
import { TallyhookError } from '@tallyhook/platform/errors';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import { command } from '@tallyhook/platform/terminal/command';
import { startProgress } from '@tallyhook/platform/terminal/progress';
import { exitCode, UsageError } from '@tallyhook/platform/terminal/terminal';
import { writeOutput } from '@tallyhook/platform/terminal/write-output';
import { z } from 'zod';
import { loadDatabaseUrl } from '../../config/load.ts';
import { type EntrySelection, entryPages, type NumberedEntry } from '../core/store/snapshots/audit.ts';
import type { Snapshot } from '../core/store/snapshots/snapshot.ts';
import { withLedger } from './open-database.ts';

const help = `tallyhook export: print all entries of the ledger as JSON lines or CSV, oldest first, from a consistent snapshot

Usage
  tallyhook export [options]

Options
  --format jsonl|csv   JSON lines, or CSV with a header as in RFC 4180 (default jsonl)
  --out FILE           write to a file that only its owner can read; an existing file is not overwritten
  --user ID            only the entries of this Discord user, in all communities
  --since DATE         only entries of events at or after this date, such as 2026-11-01 or 2026-11-01T12:00:00Z; without
                       a time it means midnight, and without a time zone UTC
  --json               print the summary as a JSON object: {entries, credits}
  --help               print this help

Progress and the summary are printed to stderr.

Fields: id, userId, listing, credits, cause, reason, at, deliveryId, guildId. The guild is that of the account, if
it is known. In CSV, text that a spreadsheet would execute as a formula is prefixed with an apostrophe.
Spreadsheets round long numbers: import the columns userId and guildId as text.

Exit codes: 0 exported, 1 runtime error, 2 invalid usage or settings.`;

/** An output format for entries. */
interface Format {
  /** Printed before all entries; may be empty. */
  readonly header: string;
  /** Includes the line ending. */
  readonly formatEntry: (entry: NumberedEntry) => string;
}

/** One JSON object per line; `at` is ISO 8601 in UTC. */
const jsonLines: Format = { header: '', formatEntry: (entry) => `${JSON.stringify({ ...entry, at: isoOf(entry) })}\n` };

const columns = ['id', 'userId', 'listing', 'credits', 'cause', 'reason', 'at', 'deliveryId', 'guildId'] as const;

/** RFC 4180: CRLF line endings, a header with the column names, and null as an empty field. */
const csv: Format = {
  header: `${columns.join(',')}\r\n`,
  formatEntry: (entry) =>
    `${columns.map((column) => formatField(column === 'at' ? isoOf(entry) : entry[column])).join(',')}\r\n`,
};

/** By the values of `--format`. */
export const formats = { jsonl: jsonLines, csv } as const;

const text = { type: 'string' } as const;

export const exportCommand = command({
  help,
  options: {
    format: { type: 'string', default: 'jsonl' },
    out: text,
    user: text,
    since: text,
    json: { type: 'boolean', default: false },
  },
  choices: { format: Object.keys(formats) },
  async run({ values }, terminal) {
    const format = parseFormat(values.format);
    const selection = { userId: parseUserId(values.user), since: parseSince(values.since) };
    return withLedger(loadDatabaseUrl(process.env), { older: true }, async (snapshot) => {
      // What is drawn would appear between the entries.
      const { printError } = terminal;
      const progress = startProgress(values.out === undefined ? { printError } : terminal, { unit: 'entries' });
      let entries = 0;
      let credits = 0;
      const count = (page: readonly NumberedEntry[]) => {
        entries += page.length;
        credits += page.reduce((sum, entry) => sum + entry.credits, 0);
        progress.advanceTo(entries);
      };
      const lines = Readable.from(formatEntries(snapshot, selection, format, count));
      if (values.out !== undefined) await writeToFile(lines, values.out, terminal.stop).finally(progress.end);
      else if (!(await writeOutput(lines, terminal))) return exitCode.ok;
      const summary = `${formatCount(entries, 'entry', 'entries')}, ${formatCount(credits, 'credit')} in total.`;
      terminal.printError(values.json ? JSON.stringify({ entries, credits }) : `Exported ${summary}`);
      return exitCode.ok;
    });
  },
});

async function* formatEntries(
  snapshot: Snapshot,
  selection: EntrySelection,
  { header, formatEntry }: Format,
  onPage: (page: readonly NumberedEntry[]) => void,
): AsyncGenerator<string> {
  if (header !== '') yield header;
  for await (const page of entryPages(snapshot, selection)) {
    yield page.map(formatEntry).join('');
    onPage(page);
  }
}

/** Throws what {@link writeFileAtomically} throws, and TallyhookError `stopped`. */
function writeToFile(lines: Readable, path: string, stop: AbortSignal): Promise<void> {
  return writeFileAtomically(path, async (partial) => {
    try {
      await pipeline(lines, createWriteStream(partial), { signal: stop });
    } catch (error) {
      throw stop.aborted ? new TallyhookError('stopped', 'The export was stopped. No file was created.') : error;
    }
  });
}

function parseFormat(name: string): Format {
  if (name === 'jsonl' || name === 'csv') return formats[name];
  throw new UsageError('--format must be jsonl or csv.');
}

function parseUserId(id: string | undefined): string | null {
  if (id === undefined) return null;
  if (!isSnowflake(id)) throw new UsageError('--user must be a Discord id: 1 to 20 digits.');
  return id;
}

const isoDate = z.union([z.iso.date(), z.iso.datetime({ offset: true, local: true })]);

/** Returns ms since the epoch. A date without a time is midnight, and a time without a zone is UTC. */
function parseSince(date: string | undefined): number | null {
  if (date === undefined) return null;
  if (!isoDate.safeParse(date).success) {
    throw new UsageError('--since must be a date such as 2026-11-01 or 2026-11-01T12:00:00Z.');
  }
  const hasZone = /(Z|[+-]\d\d:\d\d)$/.test(date);
  // JavaScript parses a date without a time as UTC, but a time without a zone as local time.
  return Date.parse(hasZone || !date.includes('T') ? date : `${date}Z`);
}

function isoOf({ at }: NumberedEntry): string {
  return new Date(at).toISOString();
}

function formatField(value: string | number | null): string {
  if (typeof value === 'number') return String(value);
  const text = escapeFormula(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Prefixes text that a spreadsheet would execute as a formula, since reasons are external text. OWASP: "CSV Injection".
 */
function escapeFormula(text: string): string {
  return /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
}
