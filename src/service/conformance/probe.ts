import { z } from 'zod';

/** One answer of the service under test. */
export interface ProbeResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body where it is a JSON object, else an empty one. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ProbeRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One request that was answered. */
export interface Exchange {
  readonly method: string;
  /** Without the query, which may hold a key. */
  readonly path: string;
  /** Null where none was sent. */
  readonly key: string | null;
  /** When the request left (ms since the epoch). */
  readonly sentAt: number;
  readonly answer: ProbeResponse;
}

/** Asks the service under test, and remembers when it answered what, for the rate limit is part of what is tested. */
export interface Probe {
  /** @param path relative to the base URL, with its query. */
  ask(path: string, question?: ProbeRequest): Promise<ProbeResponse>;
  /** All that was answered so far, in the order in which it was asked. */
  readonly exchanges: readonly Exchange[];
}

const patience = 15_000;
const json = z.record(z.string(), z.unknown());

export function openProbe(baseUrl: string, now: () => number): Probe {
  const exchanges: Exchange[] = [];
  return {
    exchanges,
    async ask(path, { method = 'GET', headers = {} } = {}) {
      const asked = { method, headers, redirect: 'manual', signal: AbortSignal.timeout(patience) } as const;
      const sentAt = now();
      const response = await fetch(baseUrl + path, asked);
      const text = await response.text();
      const answer = { status: response.status, headers: response.headers, text, body: readJson(text) };
      const key = headers['X-API-Key'] ?? new URL(baseUrl + path).searchParams.get('key');
      exchanges.push({ method, path: path.replace(/\?.*/, ''), key, sentAt, answer });
      return answer;
    },
  };
}

function readJson(text: string): Record<string, unknown> {
  try {
    return json.catch({}).parse(JSON.parse(text));
  } catch {
    return {};
  }
}
