import type { Reply } from '../../commands/reply.ts';
import type { Announcement } from '../outbox/effect-contents.ts';
import type { Texts } from '../texts/en.ts';
import { bold, escapeName, grouped, joined, lines, type Markup, mention, timestamp } from '../texts/markup.ts';
import type { ListingCard } from './listing-card.ts';

type AnnouncementTexts = Texts['announcement'];

/** Renders an announcement; `card` is null if only the configured name of the listing is known. */
export function renderAnnouncement(
  announcement: Announcement,
  card: ListingCard | null,
  texts: AnnouncementTexts,
): Reply {
  const listing = escapeName(card?.name ?? '', 60) || escapeName(announcement.listing, 60);
  const reply = announcement.test
    ? renderTest(announcement, listing, texts)
    : renderEvent(announcement, listing, texts);
  return { ...reply, at: announcement.at, ...(card?.url ? { url: card.url } : {}) };
}

function renderTest({ event }: Announcement, listing: Markup, texts: AnnouncementTexts): Reply {
  return { tone: 'plain', title: texts.test, text: texts.tested(bold(escapeName(event, 60)), listing) };
}

function renderEvent(announcement: Announcement, listing: Markup, texts: AnnouncementTexts): Reply {
  const { nextVoteAt } = announcement;
  const { title, text, tone } = headlineOf(announcement, listing, texts);
  const nextVote = nextVoteAt === null ? null : texts.nextVote(timestamp(nextVoteAt, 'R'));
  return {
    tone,
    title,
    text: lines(text, renderPayment(announcement, texts), renderReason(announcement, texts), nextVote),
  };
}

interface Headline extends Pick<Reply, 'tone'> {
  readonly title: Markup;
  readonly text: Markup;
}

function headlineOf(
  { event, userId, tier, giftedBy }: Announcement,
  listing: Markup,
  texts: AnnouncementTexts,
): Headline {
  const user = userId === null ? null : mention(userId);
  const tierName = tier === null ? null : escapeName(tier, 40) || null;
  switch (event) {
    case 'server_vote':
    case 'bot_vote':
      return { tone: 'good', title: texts.titles.vote, text: texts.voted(user, listing) };
    case 'premium_purchase': {
      const isGift = giftedBy !== null && giftedBy !== userId;
      const text = isGift
        ? texts.gifted(user, mention(giftedBy), listing, tierName)
        : texts.bought(user, listing, tierName);
      return { tone: 'good', title: texts.titles.bought, text };
    }
    case 'subscription.renewed':
      return { tone: 'good', title: texts.titles.renewed, text: texts.renewed(user, listing, tierName) };
    case 'subscription.expired':
      return { tone: 'wait', title: texts.titles.expired, text: texts.expired(user, listing, tierName) };
    case 'subscription.revoked':
      return { tone: 'bad', title: texts.titles.revoked, text: texts.revoked(user, listing, tierName) };
    default:
      return { tone: 'plain', title: texts.titles.other, text: texts.other(user, escapeName(event, 60), listing) };
  }
}

/** The credits paid and the balance. Events that never pay have no line about credits. */
function renderPayment({ event, credits, balance }: Announcement, texts: AnnouncementTexts): Markup | null {
  const isRewarded = event !== 'subscription.expired' && event !== 'subscription.revoked';
  const creditsText = credits > 0 ? texts.credits(credits, grouped(credits)) : isRewarded ? texts.noCredits : null;
  return joined([creditsText, balance === null ? null : texts.balance(balance, grouped(balance))], ' · ');
}

function renderReason({ reason }: Announcement, texts: AnnouncementTexts): Markup | null {
  if (reason === null) return null;
  const text = Object.hasOwn(texts.reasons, reason) ? texts.reasons[reason] : undefined;
  return text ?? texts.because(escapeName(reason, 140));
}
