import { createReadStream, readFileSync } from 'node:fs';

/**
 * Bytes that this process has read from a disk since its start: what it read from the page cache does not count. Null
 * where `proc` does not tell.
 */
export function readDiskBytes(proc = '/proc'): number | null {
  try {
    const [, bytes] = /^read_bytes: (\d+)$/m.exec(readFileSync(`${proc}/self/io`, 'utf8')) ?? [];
    return bytes === undefined ? null : Number(bytes);
  } catch {
    return null;
  }
}

/** Reads a file once, so that the page cache has all of it that fits into memory. */
export async function warmPages(path: string): Promise<void> {
  for await (const _ of createReadStream(path, { highWaterMark: 1_000_000 }));
}

/** Bytes that one of several operations read, on average; NaN if that is not known. */
export function diskBytesPer(operations: number, before: number | null, after: number | null): number {
  return before === null || after === null ? Number.NaN : (after - before) / operations;
}
