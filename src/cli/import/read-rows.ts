import { open } from 'node:fs/promises';
import type { TallyhookError } from '@tallyhook/platform/errors';
import { InvalidJsonError, parseJsonText } from '@tallyhook/platform/parse-json-text';
import { describeBinary, encodingOf, UnreadableFileError, unreadable } from '@tallyhook/platform/text-file';
import { type CsvRow, createCsvParser, findDelimiter } from './csv.ts';
import { type Fields, fieldsOf, invalidFile, maxRowLength, parseExactly } from './fields.ts';
import { createJsonDivider } from './json-elements.ts';

export type FileFormat = 'csv' | 'json' | 'ndjson';

/** A row of a file. */
export interface FileRow {
  /** Where it begins, counted from 1. */
  readonly line: number;
  readonly fields: Fields;
}

export interface FileOptions {
  /** Null to recognise it. */
  readonly format: FileFormat | null;
  /** Where the array or object is in a JSON file; see {@link createJsonDivider}. */
  readonly path: readonly string[];
}

/** Bytes that are read at once. */
const partSize = 256 * 1024;
const discordId = /^["']?\d{15,20}["']?$/;

/**
 * Reads a file row by row, so that memory does not depend on its size. Each part says how much of the file has been read.
 * Names beyond ASCII do not matter, so that Windows-1252 is read as well.
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
      const row: Record<string, string> = {};
      for (let index = 0; index < fields.length; index += 1) {
        row[names[index] ?? String(index + 1)] = fields[index] ?? '';
      }
      return [{ line, fields: row }];
    });
  return { push: async (text: string) => toRows(await parser.push(text)), end: async () => toRows(await parser.end()) };
}

function jsonReader(path: readonly string[]) {
  const divider = createJsonDivider(path);
  return {
    push: (text: string): FileRow[] =>
      divider
        .push(text)
        .map(({ line, key, text: element }) => ({ line, fields: fieldsOf(parseRow(element, line), key) })),
    end(): FileRow[] {
      divider.end();
      return [];
    },
  };
}

/** One JSON value per line. */
function lineReader() {
  let rest = '';
  let line = 0;
  const toRows = (lines: readonly string[]): FileRow[] =>
    lines.flatMap((text) => {
      line += 1;
      return text.trim() === '' ? [] : [{ line, fields: fieldsOf(parseRow(text, line), null) }];
    });
  return {
    push(text: string): FileRow[] {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > maxRowLength) throw invalidFile(line + 1, 'is too long', 'Choose another --format.');
      return toRows(lines);
    },
    end: () => toRows([rest]),
  };
}

function parseRow(text: string, line: number): unknown {
  try {
    return parseExactly(text);
  } catch {
    throw invalidJson(text, line);
  }
}

/** @param firstLine of the text in the file */
function invalidJson(text: string, firstLine: number): TallyhookError {
  const choice = 'Check the file there, or choose another --format.';
  try {
    parseJsonText(text);
  } catch (error) {
    if (!(error instanceof InvalidJsonError)) throw error;
    const { line, column, hint } = error;
    return invalidFile(firstLine, `is not JSON at line ${firstLine + line - 1}, column ${column}`, `${hint} ${choice}`);
  }
  return invalidFile(firstLine, 'is not JSON', choice);
}

/** @param sample the beginning of the file */
export function recognizeFormat(file: string, sample: string): FileFormat {
  if (/\.(ndjson|jsonl)$/i.test(file)) return 'ndjson';
  const text = sample.trimStart();
  const opening = text[0] ?? '';
  if (opening !== '{' && opening !== '[') return 'csv';
  const [first = '', ...others] = text.split('\n');
  const next = others.find((line) => line.trim() !== '') ?? '';
  return isJson(first) && next.trimStart().startsWith(opening) ? 'ndjson' : 'json';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
