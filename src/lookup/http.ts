import type { Clock } from '@tallyhook/platform/clock';
import { parseJson } from '@tallyhook/platform/json';
import { z } from 'zod';
import {
  type BadRequestCause,
  createQuote,
  errorForResponse,
  failureEnvelopeSchema,
  type Quote,
} from './error-response.ts';
import { getText, requireSendableKey } from './get-text.ts';
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
      const response = await getText({
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
