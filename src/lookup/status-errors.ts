import { hour, minute, second } from '../platform/durations.ts';
import { type BadRequestMeaning, badRequest } from './bad-request.ts';
import {
  type LookupError,
  LookupKeyRefused,
  LookupNotFound,
  LookupRateLimited,
  LookupServiceError,
  LookupUnexpectedStatus,
} from './failures.ts';

/** How long a rate limit lasts when the service does not say. */
const rateLimitLasts = minute;
/** Longer pauses than this are not believed. */
const longestPause = hour;

interface Refused {
  /** What was asked, such as `GET /server`. */
  readonly asked: string;
  readonly response: Response;
  /** The error text of the service, or whatever came instead of its failure envelope. */
  readonly text: string;
  /** The same, quoted. */
  readonly quoted: string;
  /** Whether it is JSON, as every failure of the service is (document, section 7). */
  readonly isJson: boolean;
  readonly means: BadRequestMeaning;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The failure that a status other than 2xx stands for (document, section 7). */
export function errorForStatus({ asked, response, text, quoted, isJson, means, now }: Refused): LookupError {
  const { status } = response;
  const message = `${asked}: the service answered ${status}: ${quoted}`;
  const retryAt = retryAfter(response.headers.get('Retry-After'), now);
  // A page is not of the service but of a server before it, which says nothing about key or parameters.
  if (status === 400 && (isJson || text === '')) return badRequest(message, text, means);
  if (status === 401) return new LookupKeyRefused(message);
  if (status === 404) return new LookupNotFound(message);
  if (status === 429) return new LookupRateLimited(message, retryAt ?? now + rateLimitLasts);
  if (status >= 500) return new LookupServiceError(message, retryAt);
  return new LookupUnexpectedStatus(message, status);
}

/** The moment (ms since the epoch) that a Retry-After header names, in seconds or as a date (RFC 9110, section 10.2.3). */
function retryAfter(header: string | null, now: number): number | null {
  if (header === null) return null;
  const moment = /^\d+(\.\d+)?$/.test(header.trim()) ? now + Number(header) * second : Date.parse(header);
  return Number.isNaN(moment) ? null : Math.min(Math.max(moment, now + second), now + longestPause);
}
