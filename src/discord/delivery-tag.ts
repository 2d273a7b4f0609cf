import type { APIEmbed } from 'discord.js';
import type { Effect } from '../outbox/effect.ts';
import { second } from '../platform/durations.ts';
import { mention } from '../texts/markup.ts';

/**
 * What stands under an announcement: the number of its delivery. The owner finds the delivery by it, and the announcer its message, for
 * Discord forgets a nonce after a few minutes and never tells it of a message that is read again.
 */
export function deliveryTagOf({ deliveryId }: Effect): string {
  return `#${deliveryId}`;
}

/** Whether the embed is the announcement of this effect: the number alone would also fit one from a database that was begun anew. */
export function hasDeliveryTag(embed: APIEmbed, effect: Effect): boolean {
  const { userId, at } = effect.announcement;
  return (
    embed.footer?.text === deliveryTagOf(effect) &&
    (userId === null || (embed.description?.includes(mention(userId)) ?? false)) &&
    (embed.timestamp === undefined || wholeSeconds(Date.parse(embed.timestamp)) === wholeSeconds(at))
  );
}

function wholeSeconds(moment: number): number {
  return Math.floor(moment / second);
}
