import { Routes } from 'discord.js';
import { z } from 'zod';
import type { Effect } from '../outbox/effect.ts';
import { minute, second } from '../platform/durations.ts';
import { snowflakePattern } from '../platform/snowflake.ts';
import { mention } from '../texts/markup.ts';
import type { DiscordRest } from './rest.ts';

/** Discord's epoch, the first second of 2015 (ms since the Unix epoch). Discord: "Snowflakes". */
const discordEpoch = 1_420_070_400_000;
/** Tolerated difference between our clock and Discord's (ms). */
const clockToleranceMs = 5 * minute;
/** Discord lists at most this many messages in one response. Discord: "Get Channel Messages". */
const pageSize = 100;
const maxPages = 20;

/** `unknown`: the bot cannot read the channel, or there are more messages than are searched. */
export type AnnouncementSearch = 'there' | 'absent' | 'unknown';

/**
 * Searches for effects of one channel that were announced since a time (ms since the epoch). Throws discord.js's
 * errors, and ZodError for a response of another shape.
 */
export type FindAnnouncement = (
  effects: readonly Effect<'announcement'>[],
  since: number,
) => Promise<AnnouncementSearch>;

/**
 * The delivery number in an announcement's footer. The owner finds the delivery by it. The announcer finds the message
 * by it, because Discord forgets a nonce after a few minutes and does not return it with the channel's messages.
 */
export function deliveryTagOf({ deliveryId }: Pick<Effect, 'deliveryId'>): string {
  return `#${deliveryId ?? 0}`;
}

const id = z.string().regex(snowflakePattern);
const user = z.object({ id });
const channel = z.object({ last_message_id: id.nullish() });
const embed = z.object({
  description: z.string().optional(),
  timestamp: z.string().optional(),
  footer: z.object({ text: z.string() }).optional(),
});
const messages = z.array(z.object({ id, author: user, embeds: z.array(embed).default([]) }));

type Embed = z.output<typeof embed>;

/**
 * Reads the channel's messages. Without the permission Read Message History, Discord lists no messages; then the
 * announcement is only known to be absent if the channel's last message is older than `since`.
 */
export function createFindAnnouncement(rest: DiscordRest): FindAnnouncement {
  return async (effects, since) => {
    const [first] = effects;
    if (first === undefined) return 'absent';
    const { queue: channelId } = first;
    let after = minSnowflakeAt(since - clockToleranceMs);
    const [bot, { last_message_id: lastMessageId }] = await Promise.all([
      rest.get(Routes.user()).then((json) => user.parse(json)),
      rest.get(Routes.channel(channelId)).then((json) => channel.parse(json)),
    ]);
    if (BigInt(lastMessageId ?? 0) <= after) return 'absent';

    for (let page = 0; page < maxPages; page += 1) {
      const listed = await list(channelId, { after: String(after), limit: String(pageSize) });
      if (listed.some(({ author, embeds }) => author.id === bot.id && announces(embeds, effects))) return 'there';
      if (listed.length === 0) return (await list(channelId, { limit: '1' })).length === 0 ? 'unknown' : 'absent';
      if (listed.length < pageSize) return 'absent';
      after = listed.reduce((newest, message) => (BigInt(message.id) > newest ? BigInt(message.id) : newest), after);
    }
    return 'unknown';
  };

  async function list(channelId: string, query: Record<string, string>): Promise<z.output<typeof messages>> {
    return messages.parse(await rest.get(Routes.channelMessages(channelId), new URLSearchParams(query)));
  }
}

function announces(embeds: readonly Embed[], effects: readonly Effect<'announcement'>[]): boolean {
  return effects.every((effect) => embeds.some((each) => isAnnouncementOf(effect, each)));
}

/** The delivery number alone is ambiguous: numbers start again in a new database. */
function isAnnouncementOf(effect: Effect<'announcement'>, { footer, description, timestamp }: Embed): boolean {
  const { userId, at } = effect.content;
  return (
    footer?.text === deliveryTagOf(effect) &&
    (userId === null || (description?.includes(mention(userId)) ?? false)) &&
    (timestamp === undefined || wholeSeconds(Date.parse(timestamp)) === wholeSeconds(at))
  );
}

function wholeSeconds(time: number): number {
  return Math.floor(time / second);
}

/** Less than every id created at `time` (ms since the epoch) or later, greater than every earlier one. */
function minSnowflakeAt(time: number): bigint {
  return BigInt(Math.max(0, Math.floor(time) - discordEpoch)) << 22n;
}
