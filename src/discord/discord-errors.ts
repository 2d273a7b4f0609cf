import { DiscordAPIError, HTTPError, RateLimitError } from 'discord.js';
import { ZodError } from 'zod';
import { messageOf } from '../platform/errors.ts';
import { plainName } from '../texts/markup.ts';

/**
 * Why Discord did not do what was asked. `token`: it does not accept the token (401). `refused`: it answered no, with a code of Discord's
 * "JSON Error Codes" (0 where it gave none). `unreachable`: it did not answer, or asks for patience.
 */
export type DiscordErrorDescription =
  | { readonly kind: 'token' | 'unreachable'; readonly reason: string }
  | { readonly kind: 'refused'; readonly code: number; readonly reason: string };

const longestReason = 200;

/** Reads what {@link DiscordRest} has thrown. */
export function describeDiscordError(error: unknown): DiscordErrorDescription {
  if (error instanceof RateLimitError) return { kind: 'unreachable', reason: 'Discord asks for a pause (429)' };
  if (error instanceof HTTPError) return { kind: 'unreachable', reason: `Discord answered ${error.status}` };
  if (error instanceof ZodError) return { kind: 'refused', code: 0, reason: 'what answers is not Discord' };
  if (!(error instanceof DiscordAPIError)) {
    return { kind: 'unreachable', reason: plainName(`no connection (${causeOf(error)})`, longestReason) };
  }
  const reason = plainName(`${error.status}: ${error.message}`, longestReason);
  if (error.status === 401) return { kind: 'token', reason };
  return { kind: 'refused', code: Number(error.code) || 0, reason };
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'no answer in time';
  if (error.cause !== undefined) return causeOf(error.cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : messageOf(error);
}
