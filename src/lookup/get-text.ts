import { type Clock, startTimer } from '@tallyhook/platform/clock';
import { rootCauseOf, TallyhookError } from '@tallyhook/platform/errors';
import { LookupError } from './lookup-error.ts';

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
  readonly url: string;
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
 * Sends one GET, without retries and without following redirects, because the key would be sent along.
 * @throws LookupError without a complete response, or the reason of the signal; with a status other than 2xx, an incomplete body is empty
 */
export async function getText({ url, headers, name, deadline, signal, clock }: TextRequest): Promise<TextResponse> {
  // Who only creates a client does not load it.
  const { default: ky, isNetworkError } = await import('ky');
  const remainingMs = deadline - clock.monotonic();
  if (remainingMs <= 0) throw timeoutError(name);
  const timeout = new AbortController();
  const stopTimer = startTimer(clock, remainingMs, () => timeout.abort());
  try {
    const response = await ky.get(url, {
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
