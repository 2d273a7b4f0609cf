import type { NumberedEntry } from '../../store/snapshots/entry-pages.ts';

/** How entries become lines. */
export interface Format {
  /** Stands before all entries; empty where there is none. */
  readonly header: string;
  /** One entry, with the end of its line. */
  readonly line: (entry: NumberedEntry) => string;
}

/** One JSON object to a line; `at` is ISO 8601 UTC. */
const jsonLines: Format = {
  header: '',
  line: (entry) => `${JSON.stringify({ ...entry, at: new Date(entry.at).toISOString() })}\n`,
};

const columns = ['id', 'userId', 'listing', 'credits', 'cause', 'reason', 'at', 'deliveryId'] as const;

/** RFC 4180: lines end in CRLF, the first one names the columns, null is an empty field. */
const csv: Format = {
  header: `${columns.join(',')}\r\n`,
  line: (entry) => `${columns.map((column) => field(column === 'at' ? isoOf(entry) : entry[column])).join(',')}\r\n`,
};

/** By the words that `--format` takes. */
export const formats = { jsonl: jsonLines, csv } as const;

function isoOf({ at }: NumberedEntry): string {
  return new Date(at).toISOString();
}

function field(value: string | number | null): string {
  if (typeof value === 'number') return String(value);
  const text = defused(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A text that a spreadsheet would run as a formula gets an apostrophe before it: the service's words come from outside.
 * OWASP: "CSV Injection".
 */
function defused(text: string): string {
  return /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text;
}
