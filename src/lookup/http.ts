import { type Clock, startTimer } from '@tallyhook/platform/clock';
import { hour, minute, second } from '@tallyhook/platform/durations';
import type { LookupErrorCode } from '@tallyhook/platform/error-codes';
import { rootCauseOf, TallyhookError } from '@tallyhook/platform/errors';
import { parseJson } from '@tallyhook/platform/json';
import { createRedactor } from '@tallyhook/platform/redactor';
import { parseRetryAfter } from '@tallyhook/platform/retry-after';
import { z } from 'zod';
import { LookupError } from './lookup-error.ts';

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
export interface Http<Request, Response> {
  /**
   * Sends one GET.
   * @param deadline monotonic time (ms) by which the complete response must have arrived; the request is aborted then
   * @throws LookupError, or the reason of the signal
   */
  get(request: Request, deadline: number, signal?: AbortSignal): Promise<Response>;
}

type LookupHttp = Http<LookupRequest, LookupResponse>;

const envelope = z.object({ success: z.literal(true), data: z.unknown(), meta: z.unknown().optional() });

/**
 * Creates the HTTP client. The key is sent in the header `X-API-Key` only (document, section 5.2), and is never part of
 * a URL, an error or a redirect.
 * @throws TallyhookError `lookup_key_malformed` when the key cannot be sent in a header
 */
export function createHttp(options: { baseUrl: string; key: string; clock: Clock }): LookupHttp {
  const { clock, key } = options;
  const baseUrl = options.baseUrl.replace(/(?<!\/)\/+$/, '');
  requireSendableKey(key);
  const quote = createQuote(key);

  return {
    async get({ path, query = {}, badRequestCause }, deadline, signal) {
      const request = `GET /${path}`;
      const url = new URL(`${baseUrl}/${path}`);
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
      const response = await fetchText({
        url: url.href,
        headers: { 'X-API-Key': key },
        name: request,
        deadline,
        signal,
        clock,
      });
      if (response.ok) return readEnvelope(response.body, request, quote);
      throw errorForResponse({ request, ...response, badRequestCause, quote, now: clock.now() });
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

/** The duration of a rate limit (ms) when the response has no Retry-After. */
const defaultRateLimitMs = minute;
/** A longer Retry-After (ms) is capped. */
const maxRetryAfterMs = hour;
/** A longer text of the service is truncated (characters). */
const maxQuoteLength = 200;

/**
 * The meaning of a status 400 of an endpoint when its error text does not say (document, sections 4, 5 and 7). An
 * endpoint for one kind of key without parameters only rejects the key, an endpoint for both kinds only rejects a
 * parameter, any other may reject either.
 */
type BadRequestCause = 'wrong key type' | 'bad parameter' | 'either';

/** The document leaves the error texts open ("not shown"), so only terms that name the cause are recognized. */
const keyTerms = /\bkeys?\b|\b(?:server|bot)s? only\b|\bonly (?:for )?(?:servers|bots)\b/i;
const parameterTerms = /\b(?:parameters?|query|limit|sort|user ?ids?|numeric)\b/i;

const badRequestCodes: Readonly<Record<BadRequestCause, LookupErrorCode>> = {
  'wrong key type': 'lookup_wrong_key_type',
  'bad parameter': 'lookup_bad_parameter',
  either: 'lookup_bad_request',
};

const failureEnvelopeSchema = z.object({
  success: z.literal(false),
  error: z.string().catch('no reason given'),
});

interface ErrorResponse extends Pick<TextResponse, 'status' | 'retryAfter' | 'body'> {
  /** The request, such as `GET /server`. */
  readonly request: string;
  readonly badRequestCause: BadRequestCause;
  readonly quote: Quote;
  /** The current time (ms since the epoch). */
  readonly now: number;
}

/** The error for a response with a status other than 2xx (document, section 7). */
export function errorForResponse(response: ErrorResponse): LookupError {
  const { request, status, body, now } = response;
  const { text, isJson } = readFailure(body);
  const message = `${request}: the service responded with ${status}: ${response.quote(text)}`;
  const retryAt = retryTime(response.retryAfter, now);
  const error = (code: LookupErrorCode, retry: number | null = null) =>
    new LookupError(code, message, { status, retryAt: retry });
  // A page comes from a server in front of the service, and is unrelated to key or parameters.
  if (status === 400 && (isJson || text === '')) {
    return error(badRequestCodes[causeNamedIn(text) ?? response.badRequestCause]);
  }
  if (status === 401) return error('lookup_key_refused');
  if (status === 404) return error('lookup_not_found');
  if (status === 429) return error('lookup_rate_limited', retryAt ?? now + defaultRateLimitMs);
  if (status >= 500) return error('lookup_service_error', retryAt);
  return error('lookup_unexpected_status');
}

/** The error text of the failure envelope; the whole body without one. Every documented failure is JSON (section 7). */
function readFailure(body: string): { text: string; isJson: boolean } {
  const json = parseJson(body);
  const failure = failureEnvelopeSchema.safeParse(json);
  return { text: failure.success ? failure.data.error : body, isJson: json !== undefined };
}

/** Null if the text names neither cause or both. */
function causeNamedIn(text: string): BadRequestCause | null {
  const namesKey = keyTerms.test(text);
  if (namesKey === parameterTerms.test(text)) return null;
  return namesKey ? 'wrong key type' : 'bad parameter';
}

/** The time of Retry-After (ms since the epoch), from a second to an hour ahead; null without a valid one. */
export function retryTime(header: string | null, now: number): number | null {
  const time = header === null ? null : parseRetryAfter(header, now);
  return time === null ? null : Math.min(Math.max(time, now + second), now + maxRetryAfterMs);
}

/** Quotes text of the service for an error message. */
export type Quote = (text: string) => string;

/**
 * Returns a function that makes text of the service safe for a log line: on one line, without control and invisible
 * characters, truncated, quoted and escaped, and without the API key, if there is one, in any common encoding.
 */
export function createQuote(key: string | null): Quote {
  const redact = createRedactor(key === null ? [] : [key]);
  return (text) => {
    const line = redact(key === null ? text : text.replaceAll(key, '[key]'))
      .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
      .trim();
    return JSON.stringify(line.length > maxQuoteLength ? `${line.slice(0, maxQuoteLength - 1)}…` : line);
  };
}

/** Longer than any documented response (bytes, after decompression). */
const maxResponseBytes = 1024 * 1024;

/** A complete response. */
export interface TextResponse {
  readonly status: number;
  /** True if the status is 2xx. */
  readonly ok: boolean;
  /** The header `Retry-After`, null without one. */
  readonly retryAfter: string | null;
  readonly body: string;
}

interface TextRequest {
  /** GET by default. */
  readonly method?: 'POST' | 'PATCH' | 'PUT';
  readonly url: string;
  /** The body, which is sent as JSON. */
  readonly json?: object;
  readonly headers: Readonly<Record<string, string>>;
  /** The request in messages, such as `GET /server`. */
  readonly name: string;
  /** Monotonic time (ms) by which the complete response must have arrived; the request is aborted then. */
  readonly deadline: number;
  /** Aborts the request before. */
  readonly signal?: AbortSignal | undefined;
  readonly clock: Clock;
}

/**
 * Sends one request, without retries and without following redirects, because the key would be sent along.
 * @throws LookupError without a complete response, or the reason of the signal; with a status other than 2xx, an incomplete body is empty
 */
export async function fetchText({
  url,
  headers,
  name,
  deadline,
  signal,
  clock,
  ...sent
}: TextRequest): Promise<TextResponse> {
  // Who only creates a client does not load it.
  const { default: ky, isNetworkError } = await import('ky');
  const remainingMs = deadline - clock.monotonic();
  if (remainingMs <= 0) throw timeoutError(name);
  const timeout = new AbortController();
  const stopTimer = startTimer(clock, remainingMs, () => timeout.abort());
  try {
    const response = await ky(url, {
      ...sent,
      headers: { ...headers, Accept: 'application/json' },
      redirect: 'manual',
      retry: 0,
      timeout: false,
      throwHttpErrors: false,
      signal: signal === undefined ? timeout.signal : AbortSignal.any([timeout.signal, signal]),
    });
    const body = readBody(response, name);
    return {
      status: response.status,
      ok: response.ok,
      retryAfter: response.headers.get('Retry-After'),
      body: response.ok ? await body : await body.catch(() => ''),
    };
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof LookupError) throw error;
    throw timeout.signal.aborted ? timeoutError(name) : connectionError(name, error, isNetworkError(error));
  } finally {
    stopTimer();
  }
}

/** @throws TallyhookError `lookup_key_malformed`, without the key */
export function requireSendableKey(key: string): void {
  if (/^[\x21-\x7e]+$/.test(key)) return;
  throw new TallyhookError(
    'lookup_key_malformed',
    'The API key is empty or contains characters that are not allowed in a header.',
    {
      hint: "Copy the API key again from the service's dashboard: letters, digits and punctuation, without spaces or line breaks.",
    },
  );
}

async function readBody(response: Response, name: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxResponseBytes) {
      throw new LookupError('lookup_wrong_shape', `${name}: the response is longer than ${maxResponseBytes} bytes.`);
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function timeoutError(name: string): LookupError {
  return new LookupError('lookup_timeout', `${name}: no response in time.`);
}

/** ky's own error contains the request, and with it the key: only its cause is passed on. */
function connectionError(name: string, error: unknown, isOfKy: boolean): LookupError {
  const cause = isOfKy && error instanceof Error ? error.cause : error;
  return new LookupError('lookup_unreachable', `${name}: no connection to the service (${rootCauseOf(cause)}).`, {
    cause,
  });
}
