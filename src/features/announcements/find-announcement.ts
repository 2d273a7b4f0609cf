import { mention } from '@tallyhook/platform/texts/markup';
import type { Effect } from '../../core/outbox/effect.ts';
import type { Announcement } from '../../core/outbox/effect-contents.ts';
import { parseQueue } from '../../core/outbox/queue.ts';
import { type FoundBlock, hasFooter, searchChannel } from '../../discord/posting.ts';
import type { DiscordRest } from '../../discord/rest.ts';

/** `unknown`: the bot cannot read the channel, or there are more messages than are searched. */
export type AnnouncementSearch = 'there' | 'absent' | 'unknown';

/**
 * Searches for effects of one channel that were announced since a time (ms since the epoch). Throws what
 * {@link searchChannel} throws.
 */
export type FindAnnouncement = (effects: readonly Effect<Announcement>[], since: number) => Promise<AnnouncementSearch>;

/**
 * The footer of an announcement: nothing, since its time and the mention of the voter are enough to find it again. One that
 * mentions nobody has the number of its delivery. The announcer searches the channel by them, because Discord forgets a
 * nonce after a few minutes and does not return it with the channel's messages.
 * @param namesVoter whether announcements of a listing mention the voter; the owner's own text may not
 */
export function footerOf(
  { deliveryId, content: { userId, listing, test } }: Pick<Effect<Announcement>, 'deliveryId' | 'content'>,
  namesVoter: (listing: string) => boolean,
): string {
  return test || (userId !== null && namesVoter(listing)) ? '' : tagOf(deliveryId);
}

/** A vote that was not delivered has a dash: its time tells it from others. */
function tagOf(deliveryId: number | null): string {
  return deliveryId === null ? '–' : `#${deliveryId}`;
}

/** @param namesVoter see {@link footerOf} */
export function createFindAnnouncement(rest: DiscordRest, namesVoter: (listing: string) => boolean): FindAnnouncement {
  return async (effects, since) => {
    const [first] = effects;
    if (first === undefined) return 'absent';
    const found = await searchChannel(rest, parseQueue(first.queue).id, since, (blocks) =>
      effects.every((effect) => blocks.some((block) => isAnnouncementOf(effect, block, namesVoter))),
    );
    return typeof found === 'string' ? found : 'there';
  };
}

/** The delivery number alone is ambiguous: numbers start again in a new database. */
function isAnnouncementOf(
  effect: Effect<Announcement>,
  block: FoundBlock,
  namesVoter: (listing: string) => boolean,
): boolean {
  const { listing, userId, at, test } = effect.content;
  // A test names nobody.
  const namesUser = test || userId === null || !namesVoter(listing) || block.text.includes(mention(userId));
  return namesUser && hasFooter(block, footerOf(effect, namesVoter), { at });
}
