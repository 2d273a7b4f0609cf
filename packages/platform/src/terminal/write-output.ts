import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { codeOf } from '../errors.ts';
import type { Terminal } from './terminal.ts';

/**
 * Writes a long output, as fast as its reader takes it. Resolves to false if it was stopped or the reader closed the
 * pipe, as `head` does; neither is an error.
 */
export async function writeOutput(
  lines: Readable,
  { output, stop }: Pick<Terminal, 'output' | 'stop'>,
): Promise<boolean> {
  try {
    await pipeline(lines, output, { end: false, signal: stop });
    return true;
  } catch (error) {
    if (!stop.aborted && codeOf(error) !== 'EPIPE') throw error;
    return false;
  }
}
