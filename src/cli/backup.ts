import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { sqlitePathOf } from '@tallyhook/platform/database/database-url';
import { writeFileAtomically } from '@tallyhook/platform/database/snapshots/atomic-file';
import { formatCount, isoTime } from '@tallyhook/platform/durations';
import { codeOf, TallyhookError } from '@tallyhook/platform/errors';
import { isSnowflake } from '@tallyhook/platform/snowflake';
import type { Run } from '@tallyhook/platform/terminal/program';
import { copyWithProgress, startProgress } from '@tallyhook/platform/terminal/progress';
import { exitCode, type Terminal, UsageError } from '@tallyhook/platform/terminal/terminal';
import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import { loadDatabaseUrl } from '../../config/load.ts';
import { type EntrySelection, entryPages, type NumberedEntry } from '../core/store/snapshots/audit.ts';
import { backUp, type CopyResult, restoreBackup } from '../core/store/snapshots/backup.ts';
import type { Snapshot } from '../core/store/snapshots/snapshot.ts';
import { withLedger } from './open-database.ts';

export const backup = copyCommand({
  postgresHint: (file) => `Back it up with: pg_dump --format=custom --file=${file} "$DATABASE_URL"`,
  copy: (file, path, terminal) => copyWithProgress(terminal, (options) => backUp(path, file, options)),
  formatSuccess: (file, path) => `Copied ${path} to ${file}`,
});

export const restore = copyCommand({
  postgresHint: (file) => `Restore it with: pg_restore --clean --if-exists --dbname="$DATABASE_URL" ${file}`,
  copy: restoreBackup,
  formatSuccess: (file, path) => `Restored ${path} from ${file}`,
});

function copyCommand(direction: {
  postgresHint(file: string): string;
  copy(file: string, path: string, terminal: Terminal): Promise<CopyResult>;
  formatSuccess(file: string, path: string): string;
}): Run<{ readonly json?: boolean }> {
  return async ({ json }, terminal, [file = '']) => {
    const path = sqlitePathOf(loadDatabaseUrl(process.env));
    if (path === null) {
      terminal.printError(`The database is PostgreSQL. ${direction.postgresHint(file)}`);
      return exitCode.usage;
    }
    const result = await direction.copy(file, path, terminal);
    const { entries, users, balanceDifferences } = result;
    const lastDeliveryAt = isoTime(result.lastDeliveryAt);
    const contents = `${formatCount(entries, 'entry', 'entries')} of ${formatCount(users, 'user')}`;
    terminal.print(
      json
        ? JSON.stringify({
            file,
            database: path,
            entries,
            users,
            lastDeliveryAt,
            differingBalances: balanceDifferences,
          })
        : `${direction.formatSuccess(file, path)}: ${contents}, last delivery ${lastDeliveryAt ?? 'none'}.`,
    );
    if (balanceDifferences === 0) return exitCode.ok;
    terminal.printError(
      `${formatCount(balanceDifferences, 'balance')} in the copy and in the original differ from the sum of the entries. ` +
        'Run `tallyhook doctor` for details.',
    );
    return exitCode.runtimeError;
  };
}

interface Format {
  readonly header: string;
  readonly formatEntry: (entry: NumberedEntry) => string;
}

/** One JSON object per line; `at` is ISO 8601 in UTC. */
const jsonLines: Format = { header: '', formatEntry: (entry) => `${JSON.stringify({ ...entry, at: isoOf(entry) })}\n` };

const columns = ['id', 'userId', 'listing', 'credits', 'cause', 'reason', 'at', 'deliveryId', 'guildId'] as const;

/**
 * RFC 4180: CRLF line endings, a header with the column names, and null as an empty field. Text that a spreadsheet would
 * execute as a formula gets an apostrophe, since reasons are external text.
 */
const csv: Format = {
  header: formatLine(columns),
  formatEntry: (entry) => formatLine(columns.map((column) => (column === 'at' ? isoOf(entry) : entry[column]))),
};

function formatLine(fields: readonly (string | number | null)[]): string {
  return stringify([[...fields]], { escape_formulas: true, record_delimiter: 'windows' });
}

export const formats = { jsonl: jsonLines, csv } as const;

export async function exportEntries(
  options: {
    readonly format: keyof typeof formats;
    readonly out?: string;
    readonly user?: string;
    readonly since?: string;
    readonly json?: boolean;
  },
  terminal: Terminal,
): Promise<number> {
  const { out, json } = options;
  const format = formats[options.format];
  const selection = { userId: parseUserId(options.user), since: parseSince(options.since) };
  return withLedger(loadDatabaseUrl(process.env), { older: true }, async (snapshot) => {
    // What is drawn would appear between the entries.
    const { printError } = terminal;
    const progress = startProgress(out === undefined ? { printError } : terminal, { unit: 'entries' });
    let entries = 0;
    let credits = 0;
    const count = (page: readonly NumberedEntry[]) => {
      entries += page.length;
      credits += page.reduce((sum, entry) => sum + entry.credits, 0);
      progress.advanceTo(entries);
    };
    const lines = Readable.from(formatEntries(snapshot, selection, format, count));
    if (out !== undefined) await writeToFile(lines, out, terminal.stop).finally(progress.end);
    else if (!(await writeOutput(lines, terminal))) return exitCode.ok;
    const summary = `${formatCount(entries, 'entry', 'entries')}, ${formatCount(credits, 'credit')} in total.`;
    terminal.printError(json ? JSON.stringify({ entries, credits }) : `Exported ${summary}`);
    return exitCode.ok;
  });
}

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

/** Writes the lines as fast as their reader takes them. Resolves to false if it was stopped, or if the reader has closed the pipe. */
async function writeOutput(lines: Readable, { output, stop }: Terminal): Promise<boolean> {
  try {
    await pipeline(lines, output, { end: false, signal: stop });
    return true;
  } catch (error) {
    if (!stop.aborted && codeOf(error) !== 'EPIPE') throw error;
    return false;
  }
}

function writeToFile(lines: Readable, path: string, stop: AbortSignal): Promise<void> {
  return writeFileAtomically(path, async (partial) => {
    try {
      await pipeline(lines, createWriteStream(partial), { signal: stop });
    } catch (error) {
      throw stop.aborted ? new TallyhookError('stopped', 'The export was stopped. No file was created.') : error;
    }
  });
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
