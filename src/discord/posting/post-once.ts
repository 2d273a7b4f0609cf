import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import type { Clock } from '@tallyhook/platform/clock';
import { day, minute } from '@tallyhook/platform/durations';
import { snowflakePattern } from '@tallyhook/platform/snowflake';
import { z } from 'zod';
import type { Panel, Reply } from '../commands/reply.ts';
import { classifySendError, rejectionOf } from '../discord-errors.ts';
import type { DiscordRest } from '../rest.ts';
import { postReply } from './message-request.ts';
import { hasFooter, searchChannel } from './search-channel.ts';

/** Discord certainly remembers a nonce for this long (ms). */
const nonceLifetimeMs = 2 * minute;
/** The largest expected error of a clock that was set back (ms). */
const maxClockErrorMs = 1 * day;

const sentMessage = z.object({ id: z.string().regex(snowflakePattern) });

/** What the attempts to post one message have in common. */
export interface PostingAttempt {
  /** Of the message: Discord drops a repeated message with the same nonce. */
  readonly nonce: string;
  /** Start of the earliest attempt whose result is unknown (ms since the epoch); null if none can have succeeded. */
  readonly possiblySentSince: number | null;
}

/** The message that was posted now or by an earlier attempt, or why there is none. */
export type Posted = { readonly messageId: string } | AttemptResult;

/**
 * Posts a message that pings nobody, once for all attempts of an effect. While Discord remembers the nonce, it returns
 * the existing message; later the channel is searched for the footer and the time, which no other message has.
 */
export async function postOnce(
  rest: DiscordRest,
  clock: Clock,
  {
    channelId,
    reply,
    effect,
    footers = [reply.footer],
    contains = '',
  }: {
    readonly channelId: string;
    readonly reply: (Reply | Panel) & { readonly footer: string };
    /** The footers that an earlier attempt may have had, if they depend on its language. */
    readonly footers?: readonly string[];
    /** A part of the text, if the footers alone say too little. */
    readonly contains?: string;
    readonly effect: PostingAttempt;
  },
): Promise<Posted> {
  const { nonce, possiblySentSince: since } = effect;
  try {
    const age = since === null ? 0 : clock.now() - since;
    if (since !== null && (age < 0 || age >= nonceLifetimeMs)) {
      const earliest = age < 0 ? clock.now() - maxClockErrorMs : since;
      const found = await searchChannel(rest, channelId, earliest, (blocks) =>
        blocks.some(
          (block) => block.text.includes(contains) && footers.some((footer) => hasFooter(block, footer, reply)),
        ),
      );
      if (found === 'unknown') return unknownResult(channelId);
      if (found !== 'absent') return found;
    }
    const { id } = sentMessage.parse(await post(rest, channelId, reply, nonce));
    return { messageId: id };
  } catch (error) {
    return classifySendError(error, { channelId, effects: 1 });
  }
}

/** Posts the message without its files if Discord rejects it: the bot may not attach files in the channel. */
async function post(rest: DiscordRest, channelId: string, reply: Reply | Panel, nonce: string): Promise<unknown> {
  try {
    return await postReply(rest, channelId, reply, nonce);
  } catch (error) {
    if (rejectionOf(error) === null || !reply.files?.length) throw error;
    return postReply(rest, channelId, { ...reply, files: [] }, nonce);
  }
}

function unknownResult(channelId: string): AttemptResult {
  const reason = `Unknown whether the message was sent. Give the bot Read Message History in channel ${channelId}.`;
  return { outcome: 'later', reason, scope: 'effects', notSent: true };
}
