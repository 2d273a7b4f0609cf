import { z } from 'zod';

/** A response of the service under test. */
export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body if it is a JSON object, else an empty object. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface TestRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request and its response. */
export interface Exchange {
  readonly method: string;
  /** Without the query, which may contain a key. */
  readonly path: string;
  /** The API key of the request; null if it had none. */
  readonly key: string | null;
  /** Start of the request on the monotonic clock (ms). */
  readonly sentAt: number;
  readonly response: TestResponse;
}

/** An HTTP client that records its requests, because the checks of the rate limit count them. */
export interface TestClient {
  /** @param path relative to the base URL, with its query */
  request(path: string, options?: TestRequest): Promise<TestResponse>;
  /** All exchanges so far, oldest first. */
  readonly exchanges: readonly Exchange[];
}

const timeoutMs = 15_000;
const jsonObject = z.record(z.string(), z.unknown());

/** @param monotonic a monotonic clock (ms) */
export function createTestClient(baseUrl: string, monotonic: () => number): TestClient {
  const exchanges: Exchange[] = [];
  return {
    exchanges,
    async request(path, { method = 'GET', headers = {} } = {}) {
      const sentAt = monotonic();
      const signal = AbortSignal.timeout(timeoutMs);
      const rawResponse = await fetch(baseUrl + path, { method, headers, redirect: 'manual', signal });
      const text = await rawResponse.text();
      const response = { status: rawResponse.status, headers: rawResponse.headers, text, body: parseBody(text) };
      const key = headers['X-API-Key'] ?? new URL(baseUrl + path).searchParams.get('key');
      exchanges.push({ method, path: path.replace(/\?.*/, ''), key, sentAt, response });
      return response;
    },
  };
}

function parseBody(text: string): Record<string, unknown> {
  try {
    return jsonObject.catch({}).parse(JSON.parse(text));
  } catch {
    return {};
  }
}
