import { createHash } from 'node:crypto';
import { isObject, readField } from './fields.ts';

/** The result of a delivery, in the response to the sender and in the owner API. */
export const outcomes = ['recorded', 'duplicate', 'test', 'quarantined', 'ignored'] as const;
/** An outcome that this version knows. */
export type KnownOutcome = (typeof outcomes)[number];
/** The result of a delivery that was answered with 200. Later versions may add outcomes. @category Events */
export type Outcome = KnownOutcome | (string & {});

/** The response to the sender. With 503 nothing is stored; the sender should retry after `retryAfterSeconds`. */
export type WebhookResponse =
  | { readonly status: 200; readonly outcome: Outcome; readonly arrived?: ArrivedProbe }
  | { readonly status: 400 | 401 | 413; readonly error: string }
  | { readonly status: 503; readonly error: string; readonly retryAfterSeconds: number };

/** The response to a request that is no acceptable delivery, whatever its sender. */
export type Rejection =
  | { readonly status: 405; readonly error: string; readonly allow: string }
  | { readonly status: 404 | 413 | 415; readonly error: string }
  | { readonly status: 503; readonly error: string; readonly retryAfterSeconds: number };

/** A response as it is sent, over any interface. */
export interface JsonResponse {
  /** A string, because Node sends a string and the headers in one write. */
  readonly text: string;
  /** Names and values in turn, which Node writes as they are. */
  readonly headers: string[];
}

/** Prepared, because nearly every delivery gets one of them. */
const acceptances = new Map<string, JsonResponse>(outcomes.map((outcome) => [outcome, acceptanceOf(outcome)]));

/** The response to a delivery that was stored. */
export function acceptedResponse(outcome: Outcome): JsonResponse {
  return acceptances.get(outcome) ?? acceptanceOf(outcome);
}

function acceptanceOf(outcome: Outcome): JsonResponse {
  return jsonResponse({ received: true, outcome });
}

/** The response to a probe. */
export function probeResponse(arrived: ArrivedProbe): JsonResponse {
  return jsonResponse({ received: true, outcome: 'test', arrived });
}

export function rejectionResponse(reply: Exclude<WebhookResponse, { status: 200 }> | Rejection): JsonResponse {
  const body = { success: false, error: reply.error };
  if (reply.status === 405) return jsonResponse(body, ['allow', reply.allow]);
  if (reply.status === 503) return jsonResponse(body, ['retry-after', String(reply.retryAfterSeconds)]);
  return jsonResponse(body);
}

function jsonResponse(body: object, headers: readonly string[] = []): JsonResponse {
  const text = JSON.stringify(body);
  const length = String(Buffer.byteLength(text));
  const contentHeaders = ['content-type', 'application/json; charset=utf-8', 'content-length', length];
  return { text, headers: [...contentHeaders, ...headers] };
}

/*
 * A delivery with which `tallyhook doctor` tests the way to the receiver. It is signed like one of the site, so nobody
 * else can send it, and it is neither stored nor paid nor announced: the response says what has arrived.
 */

/** The body of a probe as it has arrived, for a comparison with what was sent. */
export interface ArrivedProbe {
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
}

/** A body as real ones are, with what programs on the way like to change. @param nonce makes it differ from others */
export function writeProbe(nonce: string): object {
  return { type: 'tallyhook.probe', nonce, name: 'Zoë 愛子 🏮', text: 'a & b <3 "quoted" \\ / 1.0' };
}

export function isProbe(json: unknown): boolean {
  return isObject(json) && readField(json, 'type') === 'tallyhook.probe';
}

export function describeBody(body: Uint8Array | string): ArrivedProbe {
  return { bytes: Buffer.byteLength(body), sha256: createHash('sha256').update(body).digest('hex') };
}
