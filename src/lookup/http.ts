import ky, { isNetworkError } from 'ky';
import { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import { messageOf, TallyhookError } from '../platform/errors.ts';
import type { BadRequestMeaning } from './bad-request.ts';
import {
  type LookupError,
  LookupNotJson,
  LookupServiceError,
  LookupTimeout,
  LookupUnreachable,
  LookupWrongShape,
} from './failures.ts';
import { createQuote, type Quote } from './quote.ts';
import { errorForStatus } from './status-errors.ts';

/** No answer of the document comes near it (bytes, after decompression). */
const largestAnswer = 1024 * 1024;

/** What is asked of one endpoint (document, section 4). */
export interface LookupRequest {
  /** Relative to the base address, without a leading slash. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  /** What a status 400 says about this question when its error text does not tell. */
  readonly badRequestMeans: BadRequestMeaning;
}

/** What a successful answer holds (document, section 2.1). */
export interface LookupResponse {
  readonly data: unknown;
  readonly meta: unknown;
}

/** The service, as one key may ask it. */
export interface Http {
  /**
   * Asks once: one GET, nothing repeated, no redirect followed.
   * @param deadline monotonic (ms); by then the answer is there whole, or the request is given up
   * @throws LookupFailure
   */
  get(question: LookupRequest, deadline: number): Promise<LookupResponse>;
}

const envelope = z.object({ success: z.literal(true), data: z.unknown(), meta: z.unknown().optional() });
const failureEnvelope = z.object({ success: z.literal(false), error: z.string().catch('no reason given') });

/**
 * The wire to the service. The key travels in the header `X-API-Key` only (document, section 5.2): never in an address, an error or a
 * redirect.
 * @throws TallyhookError `lookup_key_malformed` when no header can carry the key
 */
export function createHttp(options: { baseUrl: string; key: string; clock: Clock }): Http {
  const { clock, key } = options;
  const base = options.baseUrl.replace(/(?<!\/)\/+$/, '');
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new TallyhookError(
      'lookup_key_malformed',
      'The API key is empty or holds characters that no header can carry.',
      {
        hint: "Copy the API key anew from the service's dashboard: letters, digits and signs, without spaces or line breaks.",
      },
    );
  }
  const quote = createQuote(key);

  return {
    async get(question, deadline) {
      const asked = `GET /${question.path}`;
      const remaining = deadline - clock.monotonic();
      if (remaining <= 0) throw tooLate(asked);
      const given = new AbortController();
      const late = new AbortController();
      void clock.sleep(remaining, given.signal).then(() => {
        if (!given.signal.aborted) late.abort();
      });
      try {
        const response = await ky.get(`${base}/${question.path}`, {
          headers: { 'X-API-Key': key, Accept: 'application/json' },
          ...(question.query && { searchParams: { ...question.query } }),
          redirect: 'manual',
          retry: 0,
          timeout: false,
          throwHttpErrors: false,
          signal: late.signal,
        });
        if (!response.ok) {
          const { text, isJson } = failureIn(await bodyOf(response, asked).catch(() => ''));
          const means = question.badRequestMeans;
          throw errorForStatus({ asked, response, text, quoted: quote(text), isJson, means, now: clock.now() });
        }
        return answerIn(await bodyOf(response, asked), asked, quote);
      } catch (thrown) {
        if (thrown instanceof TallyhookError) throw thrown;
        throw late.signal.aborted ? tooLate(asked) : unreachable(asked, thrown);
      } finally {
        given.abort();
      }
    },
  };
}

function answerIn(body: string, asked: string, quote: Quote): LookupResponse {
  const said = jsonIn(body);
  if (said === undefined) throw new LookupNotJson(`${asked}: the answer is not JSON: ${quote(body)}`);
  const answer = envelope.safeParse(said);
  if (answer.success) return { data: answer.data.data, meta: answer.data.meta };
  const failure = failureEnvelope.safeParse(said);
  if (failure.success) throw new LookupServiceError(`${asked}: the service failed: ${quote(failure.data.error)}`);
  throw new LookupWrongShape(`${asked}: the answer has no "success" and "data" as documented.`);
}

/** The error text of a failure envelope, or whatever came instead. */
function failureIn(body: string): { text: string; isJson: boolean } {
  const said = jsonIn(body);
  const failure = failureEnvelope.safeParse(said);
  return { text: failure.success ? failure.data.error : body, isJson: said !== undefined };
}

function jsonIn(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

async function bodyOf(response: Response, asked: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > largestAnswer)
      throw new LookupWrongShape(`${asked}: the answer is longer than ${largestAnswer} bytes.`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function tooLate(asked: string): LookupError {
  return new LookupTimeout(`${asked}: there was no answer in time.`);
}

/** ky's own error holds the request, and with it the key: only what lies beneath it is kept. */
function unreachable(asked: string, thrown: unknown): LookupError {
  const cause = isNetworkError(thrown) ? thrown.cause : thrown;
  return new LookupUnreachable(`${asked}: no connection to the service (${reasonOf(cause)}).`, cause);
}

/** The innermost word on what went wrong, such as ECONNREFUSED. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause.cause !== undefined) return reasonOf(cause.cause);
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : messageOf(cause);
}
