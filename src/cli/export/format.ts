import type { NumberedEntry } from '../../core/store/snapshots/entry-pages.ts';

/** An output format for entries. */
export interface Format {
  /** Printed before all entries; may be empty. */
  readonly header: string;
  /** Includes the line ending. */
  readonly formatEntry: (entry: NumberedEntry) => string;
}

/** One JSON object per line; `at` is ISO 8601 in UTC. */
const jsonLines: Format = {
  header: '',
  formatEntry: (entry) => `${JSON.stringify({ ...entry, at: isoOf(entry) })}\n`,
};

const columns = ['id', 'userId', 'listing', 'credits', 'cause', 'reason', 'at', 'deliveryId', 'guildId'] as const;

/** RFC 4180: CRLF line endings, a header with the column names, and null as an empty field. */
const csv: Format = {
  header: `${columns.join(',')}\r\n`,
  formatEntry: (entry) =>
    `${columns.map((column) => formatField(column === 'at' ? isoOf(entry) : entry[column])).join(',')}\r\n`,
};

/** By the values of `--format`. */
export const formats = { jsonl: jsonLines, csv } as const;

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
