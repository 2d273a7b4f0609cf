import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { parseJson } from '../platform/json.ts';

/** An accepted delivery, with everything that is needed to send it again unchanged. */
export interface CapturedDelivery {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const rejectionSchema = z.object({ error: z.string() });

/**
 * Records the body while the handler reads it; a `data` listener would take the bytes from the handler. Returns the bytes so far.
 *
 * @param onComplete called before the handler receives the end of the body
 */
export function captureBody(request: IncomingMessage, onComplete: () => void): () => Buffer {
  const chunks: Buffer[] = [];
  request.push = new Proxy(request.push, {
    apply(push, self, args: [Buffer | null]) {
      if (args[0] === null) onComplete();
      else chunks.push(args[0]);
      return Reflect.apply(push, self, args) as boolean;
    },
  });
  return () => Buffer.concat(chunks);
}

/** Records the text that the handler passes to `response.end`. */
export function captureResponseText(response: ServerResponse): () => string {
  let text = '';
  response.end = new Proxy(response.end, {
    apply(end, self, args: unknown[]) {
      if (typeof args[0] === 'string') text = args[0];
      return Reflect.apply(end, self, args) as ServerResponse;
    },
  });
  return () => text;
}

export function capturedDelivery(request: IncomingMessage, body: Buffer): CapturedDelivery {
  const entries = Object.entries(request.headers).filter(
    ([name]) => name === 'content-type' || name.startsWith('x-webhook'),
  );
  const headers = Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
  return { path: request.url ?? '/', headers, body };
}

/** `Rejected (401): …`, with the error text of a JSON response. */
export function rejectionText(status: number, responseText: string): string {
  const rejection = rejectionSchema.safeParse(parseJson(responseText)).data;
  return rejection === undefined ? `Rejected (${status})` : `Rejected (${status}): ${rejection.error}`;
}
