import { DiscordAPIError, HTTPError, RateLimitError, RESTJSONErrorCodes } from 'discord.js';
import type { AttemptResult, RetryLater } from '../outbox/effect.ts';
import { messageOf } from '../platform/errors.ts';
import { plainName } from '../texts/markup.ts';
import { retryDelayOf } from './rate-limit.ts';

const longestReason = 300;
const noConnection = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
/** 40333, which discord.js does not name. */
const cloudflareBlocks = 40_333;

/** What a failed attempt to send one message means for its effects. Discord: "Opcodes and Status Codes", "Rate Limits". */
export function classifySendError(error: unknown, message: { channelId: string; effects: number }): AttemptResult {
  if (error instanceof RateLimitError) {
    return {
      outcome: 'later',
      reason: 'Discord asks for a pause (429)',
      retryAfterMs: retryDelayOf(error),
      scope: error.global ? 'global' : 'effects',
      notSent: true,
    };
  }
  if (error instanceof DiscordAPIError) return attemptAfterRefusal(error, message);
  if (error instanceof HTTPError) return discordIsDown(`Discord answered ${error.status}`);
  const down = discordIsDown(`Discord cannot be reached: ${messageOf(error)}`);
  return neverArrived(error) ? { ...down, notSent: true } : down;
}

function attemptAfterRefusal(
  error: DiscordAPIError,
  { channelId, effects }: { channelId: string; effects: number },
): AttemptResult {
  if (error.status === 401) return { ...discordIsDown('Discord refuses the bot token (401)'), notSent: true };
  if (error.status === 408) return discordIsDown('408 from something before Discord');
  if (isNotFromDiscord(error))
    return { ...discordIsDown(`${error.status} from something before Discord`), notSent: true };
  if (error.status === 403 || error.status === 404) return { outcome: 'bury', reason: whyNot(error, channelId) };
  const reason = plainName(`Discord refuses the message (${error.status}): ${error.message}`, longestReason);
  return effects > 1 ? { outcome: 'split', reason } : { outcome: 'bury', reason };
}

/** A page of a proxy, a wrong base address (an unknown route has the code 0), or Cloudflare in between: no word on the channel. */
function isNotFromDiscord({ rawError, status, code }: DiscordAPIError): boolean {
  return rawError instanceof ArrayBuffer || (status === 404 && code === 0) || code === cloudflareBlocks;
}

function whyNot({ status, code, message }: DiscordAPIError, channelId: string): string {
  switch (code) {
    case RESTJSONErrorCodes.UnknownChannel:
      return `There is no channel ${channelId} any more (10003). Set another one.`;
    case RESTJSONErrorCodes.MissingAccess:
      return `The bot cannot see channel ${channelId} (50001). Give it View Channel there.`;
    case RESTJSONErrorCodes.MissingPermissions:
      return `The bot may not write in channel ${channelId} (50013). Give it Send Messages and Embed Links there.`;
    default:
      return plainName(
        `Discord refuses messages in channel ${channelId} (${status}, ${code}): ${message}`,
        longestReason,
      );
  }
}

/** The connection did not even come about. After any other failure of the network the message may be there. */
function neverArrived(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && noConnection.has(String(error.code))) || neverArrived(error.cause);
}

function discordIsDown(reason: string): RetryLater {
  return { outcome: 'later', reason: plainName(reason, longestReason), scope: 'global' };
}
