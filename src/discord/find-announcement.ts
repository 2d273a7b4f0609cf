import { type APIMessage, type APIUser, Routes } from 'discord.js';
import type { Effect } from '../outbox/effect.ts';
import { minute } from '../platform/durations.ts';
import { hasDeliveryTag } from './delivery-tag.ts';
import type { DiscordRest } from './rest.ts';

/** Discord's epoch, the first second of 2015 (ms since the Unix epoch). Discord: "Snowflakes". */
const discordEpoch = 1_420_070_400_000;
/** Our clock and Discord's may differ by so much (ms). */
const slack = 5 * minute;
/** The most that Discord lists at once, and how many such pages are looked through. Discord: "Get Channel Messages". */
const perPage = 100;
const mostPages = 20;

/** `unknown`: it cannot be seen, or there is more than anybody can look through. */
export type AnnouncementSearch = 'there' | 'absent' | 'unknown';

/** Looks whether effects of one channel were announced since a moment (ms since the epoch). Throws discord.js's errors. */
export type FindAnnouncement = (effects: readonly Effect[], since: number) => Promise<AnnouncementSearch>;

/**
 * Reads the channel's messages. Without the permission Read Message History Discord lists none at all; then the only proof is that the
 * channel's last message is older than the question.
 */
export function createFindAnnouncement(rest: DiscordRest): FindAnnouncement {
  return async (effects, since) => {
    const [first] = effects;
    if (first === undefined) return 'absent';
    const { channelId } = first;
    let after = snowflakeAt(since - slack);
    const [me, channel] = await Promise.all([
      rest.get(Routes.user()) as Promise<APIUser>,
      rest.get(Routes.channel(channelId)) as Promise<{ last_message_id?: string | null }>,
    ]);
    if (BigInt(channel.last_message_id ?? 0) <= after) return 'absent';

    for (let page = 0; page < mostPages; page += 1) {
      const messages = await list(channelId, { after: String(after), limit: String(perPage) });
      if (messages.some((message) => message.author.id === me.id && announces(message, effects))) return 'there';
      if (messages.length === 0) return (await list(channelId, { limit: '1' })).length === 0 ? 'unknown' : 'absent';
      if (messages.length < perPage) return 'absent';
      after = messages.reduce((newest, { id }) => (BigInt(id) > newest ? BigInt(id) : newest), after);
    }
    return 'unknown';
  };

  async function list(channelId: string, query: Record<string, string>): Promise<readonly APIMessage[]> {
    return (await rest.get(Routes.channelMessages(channelId), new URLSearchParams(query))) as APIMessage[];
  }
}

function announces({ embeds }: APIMessage, effects: readonly Effect[]): boolean {
  return effects.every((effect) => embeds.some((embed) => hasDeliveryTag(embed, effect)));
}

/** Smaller than every id that was given at that moment or later, greater than every earlier one. */
function snowflakeAt(moment: number): bigint {
  return BigInt(Math.max(0, Math.floor(moment) - discordEpoch)) << 22n;
}
