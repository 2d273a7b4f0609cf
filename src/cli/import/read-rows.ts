import { open } from 'node:fs/promises';
import { TallyhookError } from '@tallyhook/platform/errors';
import { isObject, parseJson } from '@tallyhook/platform/json';
import { InvalidJsonError, parseJsonText } from '@tallyhook/platform/parse-json-text';
import { describeBinary, encodingOf, UnreadableFileError, unreadable } from '@tallyhook/platform/text-file';
import { CsvError, parse } from 'csv-parse';

/** The fields of a row by name. Values of CSV are texts, those of JSON as in the file. */
export type Fields = Readonly<Record<string, unknown>>;

/** A number that may be too large for JavaScript, as it is in the file: 16 digits and more, or an exponent. */
const largeNumber = /\d{16}|\de/i;

/** Parses JSON. Whole numbers that JavaScript would round, such as ids, are texts. @throws SyntaxError */
function parseExactly(text: string): unknown {
  if (!largeNumber.test(text)) return JSON.parse(text);
  return JSON.parse(text, ((_key: string, value: unknown, { source }: { source?: string }) =>
    typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) ? source : value) as (
    key: string,
    value: unknown,
  ) => unknown);
}

/** The fields of a JSON value: those of an object, the elements of an array by their number, otherwise `value`. */
function fieldsOf(value: unknown, key: string | null): Fields {
  const own = key === null ? {} : { key };
  if (typeof value !== 'object' || value === null) return { ...own, value };
  if (Array.isArray(value)) return { ...own, ...Object.fromEntries(value.map((each, index) => [index + 1, each])) };
  return { ...own, ...value };
}

/** The value of a field. The name may lead into objects, also those in JSON within a text: `value.points`. */
export function readPath(fields: Fields, path: string): unknown {
  if (Object.hasOwn(fields, path)) return fields[path];
  let value: unknown = fields;
  for (const name of path.split('.')) {
    const object = typeof value === 'string' ? parseObject(value) : value;
    if (typeof object !== 'object' || object === null || !Object.hasOwn(object, name)) return undefined;
    value = (object as Record<string, unknown>)[name];
  }
  return value;
}

/** The value of a field as text without white space around it; empty if it is neither text nor a number. */
export function readText(fields: Fields, path: string): string {
  return textOf(readPath(fields, path));
}

export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim().replace(/^'/, '') : '';
}

/** The names of all fields that have no fields of their own, such as `value.points`. */
export function fieldPaths(fields: Fields, depth = 3): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const object = typeof value === 'string' ? parseObject(value) : value;
    if (typeof object !== 'object' || object === null || Array.isArray(object) || depth === 1) return [name];
    return fieldPaths(object as Fields, depth - 1).map((path) => `${name}.${path}`);
  });
}

function parseObject(text: string): unknown {
  if (!text.startsWith('{')) return null;
  try {
    return parseExactly(text);
  } catch {
    return null;
  }
}

const maxRowLength = 1_000_000;

/** Characters of a JSON file, which is parsed as a whole. */
const maxJsonLength = 256 * 1024 * 1024;

/** A file that cannot be read as what it is. @param subject such as `The row on line 5` */
function invalidFile(subject: string, problem: string, hint: string): TallyhookError {
  return new TallyhookError('invalid_import_file', `${subject} ${problem}.`, { hint });
}

function rowOn(line: number): string {
  return `The row on line ${line}`;
}

interface CsvRow {
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

  async function read(pass: (done: (error?: Error | null) => void) => void): Promise<CsvRow[]> {
    await new Promise<void>((resolve, reject) => pass((error) => (error ? reject(toInvalidFile(error)) : resolve())));
    const read = rows;
    rows = [];
    return read;
  }

  function toInvalidFile(error: Error): Error {
    if (!(error instanceof CsvError)) return error;
    if (error.code === 'CSV_QUOTE_NOT_CLOSED')
      return invalidFile(rowOn(line), 'does not end', 'A closing quote is missing.');
    return invalidFile(rowOn(line), 'is too long', 'A closing quote may be missing.');
  }

  return {
    /** The rows that end in the next part of the file. @throws TallyhookError `invalid_import_file` */
    push: (text: string) => read((done) => parser.write(text, done)),
    end: () => read((done) => parser.end(done)),
  };
}

function findDelimiter(sample: string): string {
  const [first = ''] = sample.split('\n', 1);
  const counted = [',', ';', '\t'].map((delimiter) => ({ delimiter, count: first.split(delimiter).length }));
  return counted.reduce((best, each) => (each.count > best.count ? each : best)).delimiter;
}

export type FileFormat = 'csv' | 'json' | 'ndjson';

interface FileRow {
  /** The line where it begins, or in JSON the number of the element. Counted from 1. */
  readonly row: number;
  readonly fields: Fields;
}

export interface FileOptions {
  /** Null to recognise it. */
  readonly format: FileFormat | null;
  /** The names of the properties that lead to the array or object in a JSON file; empty for the outermost one. */
  readonly path: readonly string[];
}

const partSize = 256 * 1024;
const discordId = /^["']?\d{15,20}["']?$/;

/**
 * Reads a file row by row, but JSON as a whole. Each part says how much of the file has been read. Names beyond ASCII do not matter, so that Windows-1252 is read as well.
 * @throws TallyhookError `invalid_import_file`, and UnreadableFileError
 */
export async function* readRows(
  file: string,
  { format, path }: FileOptions,
): AsyncGenerator<{ readonly rows: readonly FileRow[]; readonly bytesRead: number }> {
  const handle = await open(file, 'r').catch((error: unknown) => {
    throw unreadable(file, error);
  });
  try {
    const buffer = Buffer.alloc(partSize);
    let bytesRead = 0;
    let decoder: InstanceType<typeof TextDecoder> | undefined;
    let divide: ReturnType<typeof createRowReader> | undefined;
    for (;;) {
      const { bytesRead: count } = await handle.read(buffer, 0, partSize, bytesRead).catch((error: unknown) => {
        throw unreadable(file, error);
      });
      decoder ??= decoderFor(file, buffer.subarray(0, count));
      const text = decoder.decode(buffer.subarray(0, count), { stream: count > 0 });
      bytesRead += count;
      divide ??= createRowReader(format ?? recognizeFormat(file, text), path, text);
      if (text !== '') yield { rows: await divide.push(text), bytesRead };
      if (count === 0) break;
    }
    yield { rows: await divide.end(), bytesRead };
  } finally {
    await handle.close();
  }
}

function decoderFor(file: string, start: Uint8Array): InstanceType<typeof TextDecoder> {
  const encoding = encodingOf(start, true);
  if (encoding === null) throw new UnreadableFileError(file, ...describeBinary(start));
  return new TextDecoder(encoding);
}

function createRowReader(format: FileFormat, path: readonly string[], sample: string) {
  if (format === 'csv') return csvReader(findDelimiter(sample));
  return format === 'ndjson' ? lineReader() : jsonReader(path);
}

/** The first row has the names, unless it has a Discord id. Then the fields have numbers, from 1. */
function csvReader(delimiter: string) {
  const parser = createCsvParser(delimiter);
  let names: readonly string[] | undefined;
  const toRows = (rows: readonly CsvRow[]): FileRow[] =>
    rows.flatMap(({ line, fields }) => {
      if (names === undefined) {
        const hasNames = !fields.some((field) => discordId.test(field.trim()));
        names = fields.map((field, index) => (hasNames && field.trim() !== '' ? field.trim() : String(index + 1)));
        if (hasNames) return [];
      }
      const named: Record<string, string> = {};
      for (let index = 0; index < fields.length; index += 1) {
        named[names[index] ?? String(index + 1)] = fields[index] ?? '';
      }
      return [{ row: line, fields: named }];
    });
  return { push: async (text: string) => toRows(await parser.push(text)), end: async () => toRows(await parser.end()) };
}

function jsonReader(path: readonly string[]) {
  const parts: string[] = [];
  let size = 0;
  return {
    push(text: string): FileRow[] {
      parts.push(text);
      size += text.length;
      if (size > maxJsonLength) {
        const hint = 'Write one value per line instead, for example with jq: jq -c ".[]" FILE > FILE.ndjson';
        throw invalidFile('The file', 'is too large for JSON', hint);
      }
      return [];
    },
    end(): FileRow[] {
      let found = parseRow(parts.join(''), 1, 'The file');
      for (const name of path) found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
      if (typeof found !== 'object' || found === null)
        throw invalidFile('The file', 'does not lead to a JSON array or object', 'Check --path and --format.');
      const isList = Array.isArray(found);
      return Object.entries(found).map(([key, value], index) => ({
        row: index + 1,
        fields: fieldsOf(value, isList ? null : key),
      }));
    },
  };
}

function lineReader() {
  let rest = '';
  let line = 0;
  const toRows = (lines: readonly string[]): FileRow[] =>
    lines.flatMap((text) => {
      line += 1;
      return text.trim() === '' ? [] : [{ row: line, fields: fieldsOf(parseRow(text, line), null) }];
    });
  return {
    push(text: string): FileRow[] {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > maxRowLength) throw invalidFile(rowOn(line + 1), 'is too long', 'Choose another --format.');
      return toRows(lines);
    },
    end: () => toRows([rest]),
  };
}

/** @param firstLine of the text in the file */
function parseRow(text: string, firstLine: number, subject = rowOn(firstLine)): unknown {
  try {
    return parseExactly(text);
  } catch {
    throw invalidJson(text, firstLine, subject);
  }
}

function invalidJson(text: string, firstLine: number, subject: string): TallyhookError {
  const choice = 'Check the file there, or choose another --format.';
  try {
    parseJsonText(text);
  } catch (error) {
    if (!(error instanceof InvalidJsonError)) throw error;
    const { line, column, hint } = error;
    return invalidFile(subject, `is not JSON at line ${firstLine + line - 1}, column ${column}`, `${hint} ${choice}`);
  }
  return invalidFile(subject, 'is not JSON', choice);
}

/** @param sample the beginning of the file */
export function recognizeFormat(file: string, sample: string): FileFormat {
  if (/\.(ndjson|jsonl)$/i.test(file)) return 'ndjson';
  const text = sample.trimStart();
  const opening = text[0] ?? '';
  if (opening !== '{' && opening !== '[') return 'csv';
  const [first = '', ...others] = text.split('\n');
  const next = others.find((line) => line.trim() !== '') ?? '';
  return parseJson(first) !== undefined && next.trimStart().startsWith(opening) ? 'ndjson' : 'json';
}
