import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * Writes a long output, as fast as its reader takes it. Resolves to false if it was stopped or the reader closed the
 * pipe, as `head` does; neither is an error.
 */
export async function writeToStdout(lines: Readable, stop: AbortSignal): Promise<boolean> {
  try {
    await pipeline(lines, process.stdout, { end: false, signal: stop });
    return true;
  } catch (error) {
    const isClosed = error instanceof Error && 'code' in error && error.code === 'EPIPE';
    if (!stop.aborted && !isClosed) throw error;
    return false;
  }
}
