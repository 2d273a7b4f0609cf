import ky, { isNetworkError } from 'ky';
import { z } from 'zod';
import { type Clock, startTimer } from '../platform/clock.ts';
import { rootCauseOf, TallyhookError } from '../platform/errors.ts';
import { parseJson } from '../platform/json.ts';
import {
  type BadRequestCause,
  createQuote,
  errorForResponse,
  failureEnvelopeSchema,
  type Quote,
} from './error-response.ts';
import { LookupError } from './lookup-error.ts';

/** Longer than any documented response (bytes, after decompression). */
const maxResponseBytes = 1024 * 1024;

/** A request to one endpoint (document, section 4). */
export interface LookupRequest {
  /** Relative to the base URL, without a leading slash. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  /** The meaning of a status 400 whose error text does not say. */
  readonly badRequestCause: BadRequestCause;
}

/** The content of a successful response (document, section 2.1). */
export interface LookupResponse {
  readonly data: unknown;
  readonly meta: unknown;
}

/** The HTTP client for one key. */
export interface LookupHttp {
  /**
   * Sends one GET, without retries and without following redirects.
   * @param deadline monotonic time (ms) by which the complete response must have arrived; the request is aborted then
   * @throws LookupError
   */
  get(request: LookupRequest, deadline: number): Promise<LookupResponse>;
}

const envelope = z.object({ success: z.literal(true), data: z.unknown(), meta: z.unknown().optional() });

/**
 * Creates the HTTP client. The key is sent in the header `X-API-Key` only (document, section 5.2), and is never part of
 * a URL, an error or a redirect.
 * @throws TallyhookError `lookup_key_malformed` when the key cannot be sent in a header
 */
export function createHttp(options: { baseUrl: string; key: string; clock: Clock }): LookupHttp {
  const { clock, key } = options;
  const baseUrl = options.baseUrl.replace(/(?<!\/)\/+$/, '');
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new TallyhookError(
      'lookup_key_malformed',
      'The API key is empty or contains characters that are not allowed in a header.',
      {
        hint: "Copy the API key again from the service's dashboard: letters, digits and punctuation, without spaces or line breaks.",
      },
    );
  }
  const quote = createQuote(key);

  return {
    async get({ path, query, badRequestCause }, deadline) {
      const request = `GET /${path}`;
      const remainingMs = deadline - clock.monotonic();
      if (remainingMs <= 0) throw timeoutError(request);
      const timeout = new AbortController();
      const stopTimer = startTimer(clock, remainingMs, () => timeout.abort());
      try {
        const response = await ky.get(`${baseUrl}/${path}`, {
          headers: { 'X-API-Key': key, Accept: 'application/json' },
          ...(query && { searchParams: { ...query } }),
          redirect: 'manual',
          retry: 0,
          timeout: false,
          throwHttpErrors: false,
          signal: timeout.signal,
        });
        if (response.ok) return readEnvelope(await readBody(response, request), request, quote);
        throw errorForResponse({
          request,
          status: response.status,
          retryAfter: response.headers.get('Retry-After'),
          body: await readBody(response, request).catch(() => ''),
          badRequestCause,
          quote,
          now: clock.now(),
        });
      } catch (error) {
        if (error instanceof LookupError) throw error;
        throw timeout.signal.aborted ? timeoutError(request) : connectionError(request, error);
      } finally {
        stopTimer();
      }
    },
  };
}

function readEnvelope(body: string, request: string, quote: Quote): LookupResponse {
  const json = parseJson(body);
  if (json === undefined) {
    throw new LookupError('lookup_not_json', `${request}: the response is not JSON: ${quote(body)}`);
  }
  const response = envelope.safeParse(json);
  if (response.success) return { data: response.data.data, meta: response.data.meta };
  const failure = failureEnvelopeSchema.safeParse(json);
  if (failure.success) {
    throw new LookupError('lookup_service_error', `${request}: the service failed: ${quote(failure.data.error)}`);
  }
  throw new LookupError('lookup_wrong_shape', `${request}: the response has no "success" and "data" as documented.`);
}

async function readBody(response: Response, request: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxResponseBytes) {
      throw new LookupError('lookup_wrong_shape', `${request}: the response is longer than ${maxResponseBytes} bytes.`);
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function timeoutError(request: string): LookupError {
  return new LookupError('lookup_timeout', `${request}: no response in time.`);
}

/** ky's own error contains the request, and with it the key: only its cause is passed on. */
function connectionError(request: string, error: unknown): LookupError {
  const cause = isNetworkError(error) ? error.cause : error;
  return new LookupError('lookup_unreachable', `${request}: no connection to the service (${rootCauseOf(cause)}).`, {
    cause,
  });
}
