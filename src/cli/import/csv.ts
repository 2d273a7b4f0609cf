import { CsvError, parse } from 'csv-parse';
import { invalidFile, maxRowLength } from './fields.ts';

/** A row of a CSV file with the line on which it begins, counted from 1. */
export interface CsvRow {
  readonly line: number;
  readonly fields: readonly string[];
}

/** Divides a CSV file into rows as RFC 4180, but also accepts other delimiters and line feeds alone. Skips empty lines. */
export function createCsvParser(delimiter: string) {
  let rows: CsvRow[] = [];
  let line = 1;
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    relax_quotes: true,
    // Also after a closing quote.
    rtrim: true,
    max_record_size: maxRowLength,
    on_record(fields, { lines }) {
      if (fields.length > 1 || fields[0] !== '') rows.push({ line, fields });
      line = lines + 1;
      // The stream itself has no output.
      return null;
    },
  });
  // Each part reports its own error.
  parser.on('error', () => {});

  /** The rows that end in what `pass` gives to the parser. */
  async function read(pass: (done: (error?: Error | null) => void) => void): Promise<CsvRow[]> {
    await new Promise<void>((resolve, reject) => pass((error) => (error ? reject(toInvalidFile(error)) : resolve())));
    const read = rows;
    rows = [];
    return read;
  }

  function toInvalidFile(error: Error): Error {
    if (!(error instanceof CsvError)) return error;
    if (error.code === 'CSV_QUOTE_NOT_CLOSED') return invalidFile(line, 'does not end', 'A closing quote is missing.');
    return invalidFile(line, 'is too long', 'A closing quote may be missing.');
  }

  return {
    /** The rows that end in the next part of the file. @throws TallyhookError `invalid_import_file` */
    push: (text: string) => read((done) => parser.write(text, done)),
    end: () => read((done) => parser.end(done)),
  };
}

/** The delimiter that occurs most often in the first line. */
export function findDelimiter(sample: string): string {
  const [first = ''] = sample.split('\n', 1);
  const counted = [',', ';', '\t'].map((delimiter) => ({ delimiter, count: first.split(delimiter).length }));
  return counted.reduce((best, each) => (each.count > best.count ? each : best)).delimiter;
}
