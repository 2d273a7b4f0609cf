import { minute, second } from '@tallyhook/platform/durations';
import { snowflakePattern } from '@tallyhook/platform/snowflake';
import { Routes } from 'discord-api-types/v10';
import { z } from 'zod';
import type { Panel } from '../commands/reply.ts';
import { renderFooter } from '../rendering/panel.ts';
import type { DiscordRest } from '../rest.ts';

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
  /** Of a text display. */
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
      /** With the footer in the last line. */
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
export type ChannelSearch = { readonly messageId: string } | 'absent' | 'unknown';

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
    rest.get(Routes.user()).then((json) => user.parse(json)),
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

/** Whether a block ends with the footer, and is of this time (ms since the epoch) if it has one. */
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
