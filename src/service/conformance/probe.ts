import { z } from 'zod';
import { minute } from '../../clock.ts';

/** One answer of the service under test. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body where it is a JSON object, else an empty one. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Question {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks the service under test, and remembers when it answered what, for the rate limit is part of what is tested. */
export interface Probe {
  /** @param path relative to the base URL, with its query. */
  ask(path: string, question?: Question): Promise<Answer>;
  /** How many requests with this key were answered within the last minute by an endpoint of the API. */
  answeredOf(key: string): number;
}

/** Not let through by the key or the limit, or by no endpoint of the API. */
const uncounted: readonly number[] = [401, 404, 405, 429];
const patience = 15_000;
const json = z.record(z.string(), z.unknown());

export function openProbe(baseUrl: string, now: () => number): Probe {
  const answered: { readonly key: string; readonly at: number }[] = [];
  return {
    async ask(path, { method = 'GET', headers = {} } = {}) {
      const asked = { method, headers, redirect: 'manual', signal: AbortSignal.timeout(patience) } as const;
      const response = await fetch(baseUrl + path, asked);
      const text = await response.text();
      const { status } = response;
      const key = headers['X-API-Key'] ?? new URL(response.url).searchParams.get('key');
      if (key !== null && !uncounted.includes(status)) answered.push({ key, at: now() });
      return { status, headers: response.headers, text, body: readJson(text) };
    },
    answeredOf(key) {
      return answered.filter((request) => request.key === key && request.at > now() - minute).length;
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
