import type { Clock } from '@tallyhook/platform/clock';
import { objectOf, parseJson } from '@tallyhook/platform/json';
import { z } from 'zod';
import type { ServiceListingKind } from '../listing/listing.ts';

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body if it is a JSON object, else an empty object. */
  readonly body: Readonly<Record<string, unknown>>;
}

const timeoutMs = 15_000;

/** An HTTP client that records what it received, because every failure is checked at the end. */
export type TestClient = ReturnType<typeof createTestClient>;

export function createTestClient(baseUrl: string) {
  /** Oldest first. The paths are without queries, which may contain a key. */
  const exchanges: { readonly method: string; readonly path: string; readonly response: TestResponse }[] = [];
  return {
    exchanges,
    /** @param path relative to the base URL, with its query */
    async request(path: string, { method = 'GET', headers = {} }: RequestInit = {}): Promise<TestResponse> {
      const signal = AbortSignal.timeout(timeoutMs);
      const rawResponse = await fetch(baseUrl + path, { method, headers, redirect: 'manual', signal });
      const text = await rawResponse.text();
      const response = {
        status: rawResponse.status,
        headers: rawResponse.headers,
        text,
        body: objectOf(parseJson(text)),
      };
      exchanges.push({ method, path: path.replace(/\?.*/, ''), response });
      return response;
    },
  };
}

/** The API keys for the checks. Checks that need a missing key are skipped. */
export type ConformanceKeys = Readonly<Partial<Record<ServiceListingKind, string>>>;

export interface CheckContext {
  readonly client: TestClient;
  readonly keys: ConformanceKeys;
  readonly clock: Clock;
}

/**
 * The result of a check. `differs`: the document does not define this, and the service behaves differently from
 * tallyhook's own. `saw` is what was observed instead, or why the check was skipped.
 */
export type ConformanceCheckResult =
  | { readonly outcome: 'holds' }
  | { readonly outcome: 'fails' | 'differs' | 'skipped'; readonly saw: string };

/**
 * One statement of the document, or one choice of this service that the document does not define, and how to verify it.
 */
export interface ConformanceCheck {
  /** The section of the document, or `silent`. */
  readonly section: string;
  readonly line: string;
  /** `choice`: not defined by the document, so a different behaviour is not a failure. */
  readonly source: 'document' | 'choice';
  /** Returns null if the statement holds, otherwise what was observed. @throws SkipCheckError */
  readonly run: (context: CheckContext) => Promise<string | null>;
}

type Run = ConformanceCheck['run'];

export function documented(section: string, line: string, run: Run): ConformanceCheck {
  return { section, line, source: 'document', run };
}

export function chosen(line: string, run: Run): ConformanceCheck {
  return { section: 'silent', line, source: 'choice', run };
}

export class SkipCheckError extends Error {}

/** The key of this kind. @throws SkipCheckError */
export function requireKey({ keys }: CheckContext, kind: ServiceListingKind): string {
  const key = keys[kind];
  if (key === undefined) throw new SkipCheckError(`no ${kind} key was provided`);
  return key;
}

/** Sends a request with the key of this kind in the header. @throws SkipCheckError */
export function requestWithKey(
  context: CheckContext,
  kind: ServiceListingKind,
  path: string,
  method = 'GET',
): Promise<TestResponse> {
  return context.client.request(path, { method, headers: { 'X-API-Key': requireKey(context, kind) } });
}

/** The first deviation from a failure with this status (document, section 7), or null. */
export function failureIssue(response: TestResponse, status: number): string | null {
  return response.status === status ? envelopeIssue(response) : `status ${response.status}`;
}

/** The first deviation from the failure envelope (document, sections 2.1, 4 and 7), or null. */
export function envelopeIssue({ headers, body }: TestResponse): string | null {
  const type = headers.get('content-type') ?? 'no content type';
  if (!isJson(type)) return type;
  if (body['success'] !== false) return 'success is not false';
  return typeof body['error'] === 'string' ? null : 'error is not a string';
}

/** Null for the expected status, otherwise the status. */
export function statusIssue({ status }: TestResponse, expected: number): string | null {
  return status === expected ? null : `status ${status}`;
}

/** ISO 8601 in UTC. The document asks for milliseconds in the dates of votes only (sections 2.4 and 2.5). */
export const utcTimestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/;

export function isJson(contentType: string): boolean {
  return /^application\/json\b/i.test(contentType);
}

export async function runCheck(check: ConformanceCheck, context: CheckContext): Promise<ConformanceCheckResult> {
  try {
    const saw = await check.run(context);
    if (saw === null) return { outcome: 'holds' };
    return { outcome: check.source === 'document' ? 'fails' : 'differs', saw };
  } catch (thrown) {
    if (thrown instanceof SkipCheckError) return { outcome: 'skipped', saw: thrown.message };
    if (thrown instanceof z.ZodError) return { outcome: 'fails', saw: firstIssue(thrown) };
    return { outcome: 'fails', saw: thrown instanceof Error ? `no response (${thrown.name})` : 'no response' };
  }
}

/** The first issue of a response that does not match its schema. */
export function firstIssue({ issues: [issue] }: z.ZodError): string {
  return issue ? `${issue.path.join('.') || 'body'}: ${issue.message}` : 'the response does not match its schema';
}
