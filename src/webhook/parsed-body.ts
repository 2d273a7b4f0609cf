import { serialised } from './signed-form.ts';

/** What the parsers of frameworks leave of a body that they have read. */
export interface ParsedRequest {
  /** The bytes or the text, of Nest and of cloud functions. */
  readonly rawBody?: unknown;
  /** A text, bytes or the parsed JSON, of `express.json()` and similar parsers. */
  readonly body?: unknown;
}

/**
 * The bytes of a body that a parser has read before. A parsed body is serialised again: it is accepted only if the service
 * has signed that form. Null if it cannot be serialised, so that no signature is valid; undefined without any trace of it.
 */
export function readParsedBody({ rawBody, body }: ParsedRequest): Buffer | null | undefined {
  const parsed = rawBody ?? body;
  if (parsed === undefined || parsed === null) return undefined;
  if (Buffer.isBuffer(parsed)) return parsed;
  if (ArrayBuffer.isView(parsed)) return Buffer.from(parsed.buffer, parsed.byteOffset, parsed.byteLength);
  const text = typeof parsed === 'string' ? parsed : serialised(parsed);
  return text === null ? null : Buffer.from(text);
}
