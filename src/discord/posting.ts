import type { RawFile } from '@discordjs/rest';
import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import type { Clock } from '@tallyhook/platform/clock';
import { day, minute, second } from '@tallyhook/platform/durations';
import { snowflakePattern } from '@tallyhook/platform/snowflake';
import { mention } from '@tallyhook/platform/texts/markup';
import { RESTJSONErrorCodes, Routes } from 'discord-api-types/v10';
import { z } from 'zod';
import type { Panel, Reply, ReplyFile } from './commands/reply.ts';
import { classifySendError, hasCode, rejectionOf } from './discord-errors.ts';
import { fetchUser } from './inspection.ts';
import { renderFiles, uploadOf } from './rendering/components.ts';
import { isPanel, renderFooter, renderMessage } from './rendering/message.ts';
import type { DiscordRest } from './rest.ts';

/** Discord certainly remembers a nonce for this long (ms). */
const nonceLifetimeMs = 2 * minute;
/** The largest expected error of a clock that was set back (ms). */
const maxClockErrorMs = 1 * day;

const sentMessage = z.object({ id: z.string().regex(snowflakePattern) });

interface PostingAttempt {
  /** Discord drops a repeated message with the same nonce. */
  readonly nonce: string;
  /** Start of the earliest attempt whose result is unknown (ms since the epoch); null if none can have succeeded. */
  readonly possiblySentSince: number | null;
}

/** The message that was posted now or by an earlier attempt, or why there is none. */
export type Posted = { readonly messageId: string } | AttemptResult;

/**
 * Posts a message, once for all attempts of an effect. While Discord remembers the nonce, it returns
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
    pinged,
  }: {
    readonly channelId: string;
    readonly reply: (Reply | Panel) & { readonly footer: string };
    /** The footers that an earlier attempt may have had, if they depend on its language. */
    readonly footers?: readonly string[];
    /** A part of the text, if the footers alone say too little. */
    readonly contains?: string;
    /** The member whom it pings; nobody without it. */
    readonly pinged?: string;
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
    const { id } = sentMessage.parse(await post(rest, channelId, reply, { nonce, pinged }));
    return { messageId: id };
  } catch (error) {
    return classifySendError(error, { channelId, effects: 1 });
  }
}

/** Posts the message without its files if Discord rejects it: the bot may not attach files in the channel. */
async function post(
  rest: DiscordRest,
  channelId: string,
  reply: Reply | Panel,
  { nonce, pinged }: { readonly nonce: string; readonly pinged: string | undefined },
): Promise<unknown> {
  try {
    return await postReply(rest, channelId, reply, nonce, pinged);
  } catch (error) {
    if (rejectionOf(error) === null || !reply.files?.length) throw error;
    return postReply(rest, channelId, { ...reply, files: [] }, nonce, pinged);
  }
}

function unknownResult(channelId: string): AttemptResult {
  const reason = `Unknown whether the message was sent. Give the bot Read Message History in channel ${channelId}.`;
  return { outcome: 'later', reason, scope: 'effects', notSent: true };
}

/** The JSON body and the files of a request with a message. */
export interface MessageRequest {
  readonly body: object;
  readonly files: RawFile[];
}

/**
 * The request that posts a panel, or replies as one message, which pings nobody. Their buttons name their command. With the nonce,
 * Discord returns the existing message if it is sent again within a few minutes.
 */
export function postRequest(shown: Panel | readonly Reply[], nonce: string): MessageRequest {
  return request(shown, { nonce, enforce_nonce: true });
}

/**
 * Posts a reply as a message of its own, and returns the message. Throws what {@link DiscordRest} throws.
 * @param pinged the member whom it pings, by a mention above an embed; nobody without it
 */
export async function postReply(
  rest: DiscordRest,
  channelId: string,
  reply: Reply | Panel,
  nonce: string,
  pinged?: string,
): Promise<unknown> {
  const { body, files } = postRequest(isPanel(reply) ? reply : [reply], nonce);
  const ping = pinged !== undefined && { content: mention(pinged), allowed_mentions: { users: [pinged] } };
  return rest.post(Routes.channelMessages(channelId), { ...body, ...ping }, files);
}

function editRequest(panel: Panel): MessageRequest {
  // Discord keeps what an edit does not mention.
  return request(panel, { attachments: [] });
}

function request(shown: Panel | readonly Reply[], fields: object): MessageRequest {
  const messages = isPanel(shown) ? [shown] : shown;
  const { attachments, files } = uploadOf(
    renderFiles(messages.flatMap((reply): readonly ReplyFile[] => reply.files ?? [])),
  );
  return {
    body: {
      ...fields,
      ...renderMessage(shown, null),
      ...(attachments.length > 0 ? { attachments } : {}),
      allowed_mentions: { parse: [] },
    },
    files,
  };
}

export interface PostedMessage {
  readonly id: string;
  readonly channelId: string;
}

const {
  UnknownMessage,
  CannotEditMessageAuthoredByAnotherUser,
  MaximumNumberOfEditsToMessagesOlderThanOneHourReached: TooManyEdits,
} = RESTJSONErrorCodes;

/** Replaces a message that is edited in place. Null if it was deleted. */
export async function editMessage(
  rest: DiscordRest,
  { id, channelId }: PostedMessage,
  panel: Panel,
): Promise<Posted | null> {
  const { body, files } = editRequest(panel);
  try {
    await rest.patch(Routes.channelMessage(channelId, id), body, files);
    return { messageId: id };
  } catch (error) {
    if (hasCode(error, UnknownMessage, CannotEditMessageAuthoredByAnotherUser)) return null;
    if (hasCode(error, TooManyEdits)) {
      const reason = 'Discord limits the edits of a message older than an hour';
      return { outcome: 'later', reason, scope: 'effects', notSent: true };
    }
    return classifySendError(error, { channelId, effects: 1 });
  }
}

/** Discord's epoch, the first second of 2015 (ms since the Unix epoch). Discord: "Snowflakes". */
const discordEpoch = 1_420_070_400_000;
/** Tolerated difference between our clock and Discord's (ms). */
const clockToleranceMs = 5 * minute;
/** Discord lists at most this many messages in one response. Discord: "Get Channel Messages". */
const pageSize = 100;
const maxPages = 20;

const embed = z.object({
  description: z.string().optional(),
  timestamp: z.string().optional(),
  footer: z.object({ text: z.string() }).optional(),
});
/** Other bots may send components that do not exist yet, so that only what is read is required. */
const component = z.object({
  /** The text of a text display. */
  content: z.string().optional().catch(undefined),
  get components() {
    return z.array(component).optional();
  },
});

/** The embeds and panels of a message, as Discord lists them. */
export const foundBlocks = z
  .object({ embeds: z.array(embed).default([]), components: z.array(component).default([]) })
  .transform(({ embeds, components }): readonly FoundBlock[] => [
    ...embeds.map(
      (each): FoundBlock => ({
        kind: 'embed',
        text: each.description ?? '',
        footer: each.footer?.text ?? '',
        timestamp: each.timestamp,
      }),
    ),
    ...components.map((each): FoundBlock => ({ kind: 'panel', text: textOf(each) })),
  ]);

/** An embed or a panel in a message. */
export type FoundBlock =
  | {
      readonly kind: 'embed';
      readonly text: string;
      readonly footer: string;
      readonly timestamp: string | undefined;
    }
  | {
      readonly kind: 'panel';
      /** The text of the panel, with the footer in the last line. */
      readonly text: string;
    };

const id = z.string().regex(snowflakePattern);
const user = z.object({ id });
const channel = z.object({ last_message_id: id.nullish() });
const messages = z.array(
  z.intersection(
    z.object({ id, author: user }),
    foundBlocks.transform((blocks) => ({ blocks })),
  ),
);

/** `unknown`: the bot cannot read the channel, or there are more messages than are searched. */
type ChannelSearch = { readonly messageId: string } | 'absent' | 'unknown';

/**
 * Searches a channel for a message of the bot since a time (ms since the epoch). Without the permission Read Message
 * History, Discord lists no messages; then it is only known to be absent if the channel's last message is older. Throws
 * discord.js's errors, and ZodError for a response of another shape.
 */
export async function searchChannel(
  rest: DiscordRest,
  channelId: string,
  since: number,
  isWanted: (blocks: readonly FoundBlock[]) => boolean,
): Promise<ChannelSearch> {
  let after = minSnowflakeAt(since - clockToleranceMs);
  const [bot, { last_message_id: lastMessageId }] = await Promise.all([
    fetchUser(rest),
    rest.get(Routes.channel(channelId)).then((json) => channel.parse(json)),
  ]);
  if (BigInt(lastMessageId ?? 0) <= after) return 'absent';

  for (let page = 0; page < maxPages; page += 1) {
    const listed = await list({ after: String(after), limit: String(pageSize) });
    const found = listed.find(({ author, blocks }) => author.id === bot.id && isWanted(blocks));
    if (found !== undefined) return { messageId: found.id };
    if (listed.length === 0) return (await list({ limit: '1' })).length === 0 ? 'unknown' : 'absent';
    if (listed.length < pageSize) return 'absent';
    after = listed.reduce((newest, message) => (BigInt(message.id) > newest ? BigInt(message.id) : newest), after);
  }
  return 'unknown';

  async function list(query: Record<string, string>): Promise<z.output<typeof messages>> {
    return messages.parse(await rest.get(Routes.channelMessages(channelId), new URLSearchParams(query)));
  }
}

/** Less than every id created at `time` (ms since the epoch) or later, greater than every earlier one. */
function minSnowflakeAt(time: number): bigint {
  return BigInt(Math.max(0, Math.floor(time) - discordEpoch)) << 22n;
}

/** True if a block ends with the footer, and is of this time (ms since the epoch) if it has one. */
export function hasFooter(block: FoundBlock, footer: string, time: Pick<Panel, 'at' | 'since'>): boolean {
  const { at } = time;
  if (block.kind === 'panel') return block.text.split('\n').at(-1) === renderFooter(footer, time);
  const { timestamp } = block;
  const isSameTime = timestamp === undefined || at === undefined || inSeconds(Date.parse(timestamp)) === inSeconds(at);
  return block.footer === footer && isSameTime;
}

function textOf({ content, components = [] }: z.output<typeof component>): string {
  return [content, ...components.map(textOf)].filter((text) => text !== undefined && text !== '').join('\n');
}

function inSeconds(time: number): number {
  return Math.floor(time / second);
}
