import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { codeOf, TallyhookError } from './errors.ts';

/** How the bytes of a text file are read. `windows-1252` is a guess: the text is not UTF-8, and has no zero bytes. */
export type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** Larger files (bytes) are not settings, secrets or codes. */
export const maxTextFileSize = 16 * 1024 * 1024;
/** Bytes that are read at once. */
const partSize = 64 * 1024;

/**
 * A text file that cannot be read as text. `problem` is the rest of a sentence that begins with the file; neither it nor
 * the hint has anything of the content.
 */
export class UnreadableFileError extends TallyhookError {
  override readonly hint: string;
  readonly problem: string;
  readonly isMissing: boolean;

  constructor(path: string, problem: string, hint: string, cause?: unknown) {
    super('unreadable_file', `The file "${path}" ${problem}.`, { hint, ...(cause !== undefined && { cause }) });
    this.hint = hint;
    this.problem = problem;
    this.isMissing = codeOf(cause) === 'ENOENT';
  }
}

const saveAsUtf8 = 'Save it as UTF-8 (Notepad: Save as → Encoding → UTF-8).';

/**
 * The text of a file in UTF-8 or UTF-16, with or without a byte-order mark. Other encodings are refused and named: what
 * is beyond ASCII in them would be guessed.
 * @param maxSize bytes
 * @throws UnreadableFileError also for a folder, and for a file that is too large
 */
export function readTextFile(path: string, maxSize = maxTextFileSize): string {
  const bytes = readBytes(path, maxSize);
  const encoding = encodingOf(bytes);
  if (encoding === null) throw new UnreadableFileError(path, ...describeBinary(bytes));
  const text = new TextDecoder(encoding === 'windows-1252' ? 'utf-8' : encoding).decode(bytes);
  if (encoding === 'windows-1252') {
    const line = text.slice(0, text.indexOf('\uFFFD')).split('\n').length;
    const problem = `is not UTF-8: line ${line} has a character in another encoding, probably Windows-1252 ("ANSI")`;
    throw new UnreadableFileError(path, problem, saveAsUtf8);
  }
  // An editor may leave several marks.
  return text.replace(/^\uFEFF+/, '');
}

/** Reads to the end, since a pipe or a device such as `/dev/stdin` has no size. @throws UnreadableFileError */
function readBytes(path: string, maxSize: number): Buffer {
  const parts: Buffer[] = [];
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    if (fstatSync(file).isDirectory()) throw folderError(path);
    let size = 0;
    for (;;) {
      const part = Buffer.allocUnsafe(partSize);
      const count = readSync(file, part);
      if (count === 0) return Buffer.concat(parts);
      size += count;
      if (size > maxSize) throw tooLargeError(path, maxSize);
      parts.push(part.subarray(0, count));
    }
  } catch (error) {
    throw error instanceof UnreadableFileError ? error : unreadable(path, error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** An error of the file system as a sentence, for files that are read in parts. */
export function unreadable(path: string, cause: unknown): UnreadableFileError {
  const permissions = 'Make sure that the user of the tallyhook process can read it.';
  switch (codeOf(cause)) {
    case 'ENOENT':
      return new UnreadableFileError(path, 'does not exist', 'Correct the path, or create the file.', cause);
    case 'EISDIR':
      return folderError(path, cause);
    case 'EACCES':
    case 'EPERM':
      return new UnreadableFileError(path, 'cannot be read: the permission is missing', permissions, cause);
    default: {
      const reason = codeOf(cause) ?? 'unknown error';
      return new UnreadableFileError(path, `cannot be read (${reason})`, `Correct the path. ${permissions}`, cause);
    }
  }
}

function folderError(path: string, cause?: unknown): UnreadableFileError {
  const advice =
    'Docker creates a folder when the file of a bind mount does not exist: remove the folder, create the file, and ' +
    'create the container again.';
  return new UnreadableFileError(path, 'is a folder, not a file', advice, cause);
}

function tooLargeError(path: string, maxSize: number): UnreadableFileError {
  const size = maxSize >= 1024 * 1024 ? `${maxSize / 1024 / 1024} MiB` : `${maxSize / 1024} KiB`;
  return new UnreadableFileError(path, `is larger than ${size}`, 'Correct the path: this is another file.');
}

const archives = [
  { bytes: [0x50, 0x4b, 0x03, 0x04], problem: 'is a ZIP archive, such as .xlsx', hint: 'Export the sheet as CSV.' },
  { bytes: [0x1f, 0x8b], problem: 'is compressed', hint: 'Decompress it.' },
];

function archiveIn(content: Uint8Array) {
  return archives.find(({ bytes }) => bytes.every((byte, index) => content[index] === byte));
}

/** A description of bytes without an encoding. */
export function describeBinary(bytes: Uint8Array): [problem: string, hint: string] {
  const archive = archiveIn(bytes);
  if (archive !== undefined) return [archive.problem, archive.hint];
  return ['is not text in one encoding: it has zero bytes', `If a part of it is UTF-16: ${saveAsUtf8}`];
}

/**
 * The encoding of a text: by a byte-order mark, else by the zero bytes of UTF-16.
 * Null for bytes that are no text.
 * @param isPart whether more follows, so that the last character may be cut off
 */
export function encodingOf(bytes: Uint8Array, isPart = false): TextEncoding | null {
  const [first, second, third, fourth] = bytes;
  // UTF-32 begins in the same way.
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? null : 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (archiveIn(bytes) !== undefined) return null;
  if (bytes.includes(0)) return encodingByZeros(bytes);
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isPart });
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}

function encodingByZeros(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const zeros = [0, 0];
  for (let index = 0; index < bytes.length; index += 1) if (bytes[index] === 0) zeros[index % 2] = 1;
  const [even, odd] = zeros;
  // The first and the last character are of ASCII, unless a part has another encoding.
  if (even === 0 && bytes[1] === 0 && bytes.at(-1) === 0) return 'utf-16le';
  return odd === 0 && bytes[0] === 0 && bytes.at(-2) === 0 ? 'utf-16be' : null;
}
