import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';

/** Sends a text in parts, as fast as the client receives them, until it goes away. */
export async function sendText(response: Response, parts: AsyncIterable<string>): Promise<void> {
  try {
    await pipeline(Readable.from(parts), response);
  } catch (thrown) {
    const isAborted = thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (!isAborted) throw thrown;
  }
}
