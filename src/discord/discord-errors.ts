import { DiscordAPIError, HTTPError, RateLimitError } from '@discordjs/rest';
import type { AttemptResult, RetryLater } from '@tallyhook/platform/attempt-result';
import { day, minute } from '@tallyhook/platform/durations';
import { messageOf, rootCauseOf } from '@tallyhook/platform/errors';
import { plainName } from '@tallyhook/platform/truncate';
import { RESTJSONErrorCodes } from 'discord-api-types/v10';
import { ZodError } from 'zod';
import { RequestsPausedError, retryDelayOf } from './rate-limit.ts';

/** Hint for a token that Discord rejects (REST 401, gateway close code 4004). */
export const tokenHint =
  'Copy the bot token again from the Discord developer portal (your application → Bot → Reset Token), and restart with it.';

/** True for an error response with one of these codes of Discord's "JSON Error Codes". */
export function hasCode(error: unknown, ...codes: readonly RESTJSONErrorCodes[]): boolean {
  return error instanceof DiscordAPIError && codes.includes(Number(error.code));
}

/** True if an interaction cannot be answered any more. */
export function isExpired(error: unknown): boolean {
  return hasCode(error, RESTJSONErrorCodes.UnknownInteraction) || isAnsweredAlready(error);
}

/** True if another process or program has answered an interaction. */
export function isAnsweredAlready(error: unknown): boolean {
  return hasCode(error, RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged);
}

const rateLimitReason = 'Discord rate limit (429)';

/**
 * Why a request to Discord failed. `token`: Discord rejects the token (401). `refused`: an error response with a code
 * of Discord's "JSON Error Codes", 0 if it had none. `unreachable`: no response, a 5xx, or a rate limit.
 */
type DiscordErrorDescription =
  | { readonly kind: 'token' | 'unreachable'; readonly reason: string }
  | { readonly kind: 'refused'; readonly code: number; readonly reason: string };

const maxDescriptionLength = 200;

/** Describes an error of {@link DiscordRest}, or a ZodError from parsing a response. */
export function describeDiscordError(error: unknown): DiscordErrorDescription {
  if (error instanceof RateLimitError) return { kind: 'unreachable', reason: rateLimitReason };
  if (error instanceof HTTPError) return { kind: 'unreachable', reason: `Discord answered ${error.status}` };
  if (error instanceof ZodError) return { kind: 'refused', code: 0, reason: 'the response is not from Discord' };
  if (!(error instanceof DiscordAPIError)) {
    return { kind: 'unreachable', reason: plainName(`no connection (${rootCauseOf(error)})`, maxDescriptionLength) };
  }
  const reason = plainName(`${error.status}: ${error.message}`, maxDescriptionLength);
  if (error.status === 401) return { kind: 'token', reason };
  return { kind: 'refused', code: Number(error.code) || 0, reason };
}

const maxReasonLength = 300;
/** How long effects wait for a channel or role that Discord rejects (ms), and are buried then. */
const maxStopMs = 1 * day;
/** Error codes of a connection that was never established, so Discord cannot have received the request. */
const connectErrorCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
/** 40333, which discord.js does not name. */
const blockedByCloudflareCode = 40_333;

/**
 * Says what becomes of effects whose message could not be sent. `effects`: how many the message contains. Discord:
 * "Opcodes and Status Codes", "Rate Limits".
 */
export function classifySendError(error: unknown, message: { channelId: string; effects: number }): AttemptResult {
  if (error instanceof CircuitOpenError && error.isFinal) return { outcome: 'bury', reason: error.message };
  const rejection = rejectionOf(error);
  return rejection === null ? retryAfterFailure(error) : classifyRejection(rejection, message);
}

/** The error response if Discord rejected the request; null if it can be retried ({@link retryAfterFailure}). */
export function rejectionOf(error: unknown): DiscordAPIError | null {
  const isRejection = error instanceof DiscordAPIError && !isFromProxy(error) && ![401, 408].includes(error.status);
  return isRejection ? error : null;
}

/** True for a 404 that has none of Discord's codes: the address does not exist there, or a proxy has answered. */
export function isUnknownRoute(error: unknown): boolean {
  return error instanceof DiscordAPIError && error.status === 404 && !error.code;
}

/** How to retry after an error that is not a rejection. */
export function retryAfterFailure(error: unknown): RetryLater {
  if (error instanceof CircuitOpenError) {
    const { message: reason, retryAfterMs, target } = error;
    const stop = { target, maxAgeMs: maxStopMs };
    return { outcome: 'later', reason, retryAfterMs, scope: 'effects', notSent: true, stop };
  }
  if (error instanceof RequestsPausedError) {
    const { message: reason, retryAfterMs, guildId } = error;
    const scope = guildId === null ? 'global' : 'community';
    return { outcome: 'later', reason, retryAfterMs, scope, notSent: true };
  }
  if (error instanceof RateLimitError) {
    return {
      outcome: 'later',
      reason: rateLimitReason,
      retryAfterMs: retryDelayOf(error),
      scope: error.global ? 'global' : 'effects',
      notSent: true,
    };
  }
  if (error instanceof DiscordAPIError) {
    const { status } = error;
    if (status === 401) return { ...retryAfterOutage('Discord rejects the bot token (401)'), notSent: true };
    const outage = retryAfterOutage(`${status} from a proxy before Discord`);
    return status === 408 ? outage : { ...outage, notSent: true };
  }
  if (error instanceof HTTPError)
    return { ...retryAfterOutage(`Discord answered ${error.status}`), scope: 'community' };
  const outage = retryAfterOutage(`Discord cannot be reached: ${messageOf(error)}`);
  if (isConnectError(error)) return { ...outage, notSent: true };
  return isTimeout(error) ? { ...outage, scope: 'community' } : outage;
}

/**
 * The retry of an effect that shares its requests with no others: a 5xx is a failure of this effect alone, so that it
 * does not delay others.
 */
export function retryAlone(error: unknown): RetryLater {
  const retry = retryAfterFailure(error);
  return error instanceof HTTPError ? { ...retry, scope: 'effects' } : retry;
}

/** True if somebody can end the rejection in Discord, so that all effects of the channel or role wait for it. */
export function isMendable(rejection: DiscordAPIError): boolean {
  return stopsTarget(rejection) && !isDeleted(rejection.code);
}

/** The first of the effects that wait for this target until Discord accepts one of them. */
export function retryAfterMending(target: string, reason: string): RetryLater {
  return retryAfterFailure(new CircuitOpenError(target, { reason, retryAfterMs: minProbeIntervalMs, isFinal: false }));
}

function classifyRejection(
  error: DiscordAPIError,
  { channelId, effects }: { channelId: string; effects: number },
): AttemptResult {
  const { status } = error;
  if (isMendable(error)) return retryAfterMending(channelId, channelErrorReason(error, channelId));
  if (status === 403 || status === 404) return { outcome: 'bury', reason: channelErrorReason(error, channelId) };
  const reason = plainName(`Discord rejects the message: ${error.message}`, maxReasonLength);
  return effects > 1 ? { outcome: 'split', reason } : { outcome: 'bury', reason };
}

/** A page of a proxy, a wrong base URL (an unknown route has the code 0), or Cloudflare: not about the channel. */
function isFromProxy({ rawError, status, code }: DiscordAPIError): boolean {
  return rawError instanceof ArrayBuffer || (status === 404 && code === 0) || code === blockedByCloudflareCode;
}

/** Why Discord rejects everything in a channel, with a hint for the owner. */
export function channelErrorReason(
  { code, message }: Pick<DiscordAPIError, 'code' | 'message'>,
  channelId: string,
): string {
  switch (code) {
    case RESTJSONErrorCodes.UnknownChannel:
      return `Discord has no channel ${channelId}. Configure another channel.`;
    case RESTJSONErrorCodes.MissingAccess:
      return `The bot cannot see channel ${channelId}. Give it View Channel there.`;
    case RESTJSONErrorCodes.MissingPermissions:
      return `The bot cannot write in channel ${channelId}. Give it Send Messages and Embed Links there.`;
    default:
      return plainName(`Discord rejects messages in channel ${channelId}: ${message}`, maxReasonLength);
  }
}

/** After any other network error, Discord may have received the message. */
function isConnectError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && connectErrorCodes.has(String(error.code))) || isConnectError(error.cause);
}

/** Discord may be slow for one channel only. */
function isTimeout(error: unknown): boolean {
  return error instanceof Error && ['AbortError', 'TimeoutError'].includes(error.name);
}

function retryAfterOutage(reason: string): RetryLater {
  return { outcome: 'later', reason: plainName(reason, maxReasonLength), scope: 'global' };
}

/** How often a request finds out whether Discord accepts it again, in the first half hour (ms). */
export const minProbeIntervalMs = 1 * minute;

/**
 * A request was not sent, or was a probe that failed: Discord rejects everything for this channel or role until somebody
 * changes it there.
 */
export class CircuitOpenError extends Error {
  /** The id of a channel, or `role <guild> <role>`. */
  readonly target: string;
  /** Until another request may be sent (ms). */
  readonly retryAfterMs: number;
  /** True if it was deleted, so waiting is in vain. */
  readonly isFinal: boolean;

  /** @param options.cause Discord's error, if a request was sent */
  constructor(target: string, options: { reason: string; retryAfterMs: number; isFinal: boolean; cause?: unknown }) {
    super(options.reason, { cause: options.cause });
    this.name = 'CircuitOpenError';
    this.target = target;
    this.retryAfterMs = options.retryAfterMs;
    this.isFinal = options.isFinal;
  }
}

/** Codes of rejections because of one message or member, so that others may succeed. 50278: no mutual guilds. */
const singleCodes: readonly (number | string)[] = [
  RESTJSONErrorCodes.UnknownMember,
  RESTJSONErrorCodes.UnknownMessage,
  RESTJSONErrorCodes.UnknownUser,
  RESTJSONErrorCodes.CannotEditMessageAuthoredByAnotherUser,
  RESTJSONErrorCodes.CannotSendMessagesToThisUser,
  RESTJSONErrorCodes.CannotSendMessagesToThisUserDueToHavingNoMutualGuilds,
  RESTJSONErrorCodes.OpeningDirectMessagesTooFast,
];

/** Codes of rejections with 400 that do not depend on the message. */
const channelCodes: readonly (number | string)[] = [
  RESTJSONErrorCodes.CannotSendMessagesInNonTextChannel,
  RESTJSONErrorCodes.CannotExecuteActionOnThisChannelType,
  RESTJSONErrorCodes.InvalidActionOnArchivedThread,
  RESTJSONErrorCodes.CannotReplyWithoutPermissionToReadMessageHistory,
  RESTJSONErrorCodes.ThreadLocked,
];

const deletedCodes: readonly (number | string)[] = [RESTJSONErrorCodes.UnknownChannel, RESTJSONErrorCodes.UnknownRole];

/** True if other messages and members have nothing to do with a rejection. */
export function isOfOne({ code }: Pick<DiscordAPIError, 'code'>): boolean {
  return singleCodes.includes(code);
}

/**
 * True if the same would happen to everything else in the channel, or with the role. Somebody can mend that in Discord,
 * unless it {@link isDeleted}, so the effects wait for it.
 */
export function stopsTarget({ status, code }: Pick<DiscordAPIError, 'status' | 'code'>): boolean {
  if (channelCodes.includes(code)) return true;
  return (status === 403 || status === 404) && !singleCodes.includes(code);
}

/** The code of a role that nobody can give, for whatever reason. */
export const finalCode = RESTJSONErrorCodes.UnknownRole;

/** True if the channel or role was deleted, which cannot be undone. */
export function isDeleted(code: number | string): boolean {
  return deletedCodes.includes(code);
}
