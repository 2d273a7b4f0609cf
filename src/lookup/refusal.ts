import { hour, minute, second } from '../clock.ts';
import {
  LookupBadParameter,
  type LookupFailure,
  LookupKeyRefused,
  LookupNotFound,
  LookupRateLimited,
  LookupServiceError,
  LookupUnexpectedStatus,
  LookupWrongKeyType,
} from './failures.ts';

/** Status 400 has two meanings (document, section 7); which one it is depends on what was asked. */
export type BadRequestMeaning = 'wrong key type' | 'bad parameter';

/** How long a rate limit lasts when the service does not say. */
const rateLimitLasts = minute;
/** Longer pauses than this are not believed. */
const longestPause = hour;

interface Refused {
  /** What was asked, such as `GET /server`. */
  readonly asked: string;
  readonly response: Response;
  /** The service's words, already quoted. */
  readonly said: string;
  readonly means: BadRequestMeaning;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The failure that a status other than 2xx stands for (document, section 7). */
export function refusal({ asked, response, said, means, now }: Refused): LookupFailure {
  const { status } = response;
  const message = `${asked}: the service answered ${status}: ${said}`;
  const retryAt = retryAfter(response.headers.get('Retry-After'), now);
  if (status === 400)
    return means === 'wrong key type' ? new LookupWrongKeyType(message) : new LookupBadParameter(message);
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
