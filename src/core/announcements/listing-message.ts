import type { AttemptResult } from '@tallyhook/platform/attempt-result';
import type { Clock } from '@tallyhook/platform/clock';
import type { ReplyButton } from '../../discord/commands/reply.ts';
import type { FindDeparted } from '../../discord/departed-members.ts';
import type { ChannelTexts } from '../../discord/languages.ts';
import { postOnce } from '../../discord/posting/post-once.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import type { Texts } from '../../texts/texts.ts';
import type { Effect } from '../outbox/effect.ts';
import type { AnnouncementStyle } from './announcement-style.ts';
import { type CardSource, type ListingCard, readCard } from './listing-card.ts';

/** What messages about a listing need. */
export interface ListingMessages {
  readonly rest: DiscordRest;
  readonly clock: Clock;
  /** In the language of the channel. */
  readonly channelTexts: ChannelTexts;
  readonly cardOf: CardSource;
  /** Null for a listing that is not configured any more. */
  readonly announcements: { findStyle(listing: string): AnnouncementStyle | null };
  readonly voteButtons: (texts: Texts) => readonly ReplyButton[];
  readonly findDeparted: FindDeparted;
}

export interface ListingMessageContext {
  readonly texts: Texts;
  readonly card: ListingCard | null;
  readonly style: AnnouncementStyle;
  /** The buttons of every announcement of votes. */
  readonly buttons: readonly ReplyButton[];
}

/** A message that is found again in its channel, see {@link postOnce}. */
type PostedMessage = Pick<Parameters<typeof postOnce>[2], 'reply' | 'footers' | 'contains'>;

/** Posts a message about a listing once, in its language and style. */
export async function postAbout(
  { rest, clock, channelTexts, cardOf, announcements, voteButtons }: ListingMessages,
  effect: Effect<{ readonly channelId: string; readonly listing: string }>,
  render: (context: ListingMessageContext) => Promise<PostedMessage>,
): Promise<AttemptResult> {
  const { channelId, listing } = effect.content;
  const style = announcements.findStyle(listing);
  if (style === null) return { outcome: 'bury', reason: `There is no listing "${listing}" in the settings any more.` };
  const [inChannel, card] = await Promise.all([channelTexts(channelId), readCard(cardOf, listing, clock)]);
  const texts = style.language === null ? inChannel : inChannel.languages.for(style.language);
  const message = await render({ texts, card, style, buttons: voteButtons(texts) });
  const posted = await postOnce(rest, clock, { channelId, effect, ...message });
  return 'outcome' in posted ? posted : { outcome: 'done' };
}
