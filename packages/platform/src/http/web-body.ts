import type { ReadableStreamDefaultReader } from 'node:stream/web';
import { type BodyEvent, type BodyFailure, type BodyMemory, collectBody, type UnverifiedBody } from './body.ts';
import { maxBodyBytes } from './max-body-bytes.ts';

/** Reads the body of a `Request` of web standards, by the rules of `readBody`. */
export async function readWebBody(
  request: Request,
  memory: BodyMemory,
  maxBytes: number = maxBodyBytes,
): Promise<UnverifiedBody | BodyFailure> {
  if (request.bodyUsed || request.body?.locked) return 'consumed';
  if (Number(request.headers.get('content-length')) > maxBytes) return 'too large';
  const reader = request.body?.getReader();
  const body = await collectBody({ memory, maxBytes }, (handle) => void pass(reader, handle));
  // Not awaited: a sender that is waiting for the response may end the stream only after it.
  if (typeof body === 'string') reader?.cancel().catch(() => {});
  return body;
}

async function pass(
  reader: ReadableStreamDefaultReader | undefined,
  handle: (event: BodyEvent) => void,
): Promise<void> {
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) return handle('end');
      handle(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
    }
  } catch {
    // The connection was closed.
    handle('aborted');
  }
}
