import { invalidFile, maxRowLength } from './invalid-file.ts';

/** A row of a CSV file with the line on which it begins, counted from 1. */
export interface CsvRow {
  readonly line: number;
  readonly fields: readonly string[];
}

const quote = 34;
const lineFeed = 10;
const carriageReturn = 13;

/** Divides a CSV file into rows as RFC 4180, but also accepts other delimiters and line feeds alone. Skips empty lines. */
export function createCsvParser(delimiter: string) {
  const separator = delimiter.charCodeAt(0);
  let rest = '';
  let line = 1;

  /** Reads the row at `start`; null if it does not end in the text. */
  function readRow(text: string, start: number, isEnd: boolean) {
    const fields: string[] = [];
    let lines = 0;
    for (let position = start; ; ) {
      let field = '';
      if (text.charCodeAt(position) === quote) {
        let from = position + 1;
        let end = text.indexOf('"', from);
        while (end !== -1 && text.charCodeAt(end + 1) === quote) {
          field += text.slice(from, end + 1);
          from = end + 2;
          end = text.indexOf('"', from);
        }
        // A quote at the very end may be the first of two.
        if (end === -1 || (end + 1 === text.length && !isEnd)) return null;
        field += text.slice(from, end);
        for (let at = field.indexOf('\n'); at !== -1; at = field.indexOf('\n', at + 1)) lines += 1;
        position = end + 1;
      }
      let end = position;
      let code = text.charCodeAt(end);
      while (end < text.length && code !== separator && code !== lineFeed) {
        end += 1;
        code = text.charCodeAt(end);
      }
      if (end === text.length && !isEnd) return null;
      const isLast = end === text.length || code === lineFeed;
      const isCrLf = isLast && end > position && text.charCodeAt(end - 1) === carriageReturn;
      fields.push(field + text.slice(position, isCrLf ? end - 1 : end));
      position = end + 1;
      if (isLast) return { fields, next: position, lines: lines + 1 };
    }
  }

  function read(text: string, isEnd: boolean): CsvRow[] {
    const rows: CsvRow[] = [];
    let position = 0;
    while (position < text.length) {
      const row = readRow(text, position, isEnd);
      if (row === null) break;
      if (row.fields.length > 1 || row.fields[0] !== '') rows.push({ line, fields: row.fields });
      line += row.lines;
      position = row.next;
    }
    rest = text.slice(position);
    if (rest.length > maxRowLength) throw invalidFile(line, 'is too long', 'A closing quote may be missing.');
    if (isEnd && rest !== '') throw invalidFile(line, 'does not end', 'A closing quote is missing.');
    return rows;
  }

  return {
    /** The rows that end in the next part of the file. @throws TallyhookError `invalid_import_file` */
    push: (text: string): CsvRow[] => read(rest + text, false),
    end: (): CsvRow[] => read(rest, true),
  };
}

/** The delimiter that occurs most often in the first line. */
export function findDelimiter(sample: string): string {
  const [first = ''] = sample.split('\n', 1);
  const counted = [',', ';', '\t'].map((delimiter) => ({ delimiter, count: first.split(delimiter).length }));
  return counted.reduce((best, each) => (each.count > best.count ? each : best)).delimiter;
}
