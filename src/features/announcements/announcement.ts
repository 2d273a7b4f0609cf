import type { AnnouncementStyle } from '../../core/announcements/announcement-style.ts';
import { type ListingCard, listingName } from '../../core/announcements/listing-card.ts';
import type { Announcement, Bonus } from '../../core/outbox/effect-contents.ts';
import type { Panel, Reply, ReplyButton } from '../../discord/commands/reply.ts';
import { toPanel } from '../../discord/rendering/reply-panel.ts';
import { escapeName, joined, lines, type Markup, markup, mention, roleMention, timestamp } from '../../texts/markup.ts';
import type { Texts } from '../../texts/texts.ts';
import { endsOrder, premiumKinds } from '../../webhook/event.ts';

type AnnouncementTexts = Texts['announcement'];

/**
 * Renders an announcement; `card` is null if only the configured name of the listing is known.
 * @param voteButtons the buttons below a vote that counted
 * @param restyle called with the content before it becomes a panel
 */
export function renderAnnouncement(
  announcement: Announcement,
  {
    card,
    texts,
    style,
  }: {
    readonly card: ListingCard | null;
    readonly texts: AnnouncementTexts;
    readonly style: ShownParts;
  },
  voteButtons: readonly ReplyButton[],
  restyle: (reply: Reply) => Reply,
): Reply | Panel {
  const listing = listingName(card, announcement.listing);
  const content = announcement.test ? renderTest(listing, texts) : renderEvent(announcement, listing, texts, style);
  const buttons = announcement.streak === null ? [] : voteButtons;
  const reply = restyle({ ...content, at: announcement.at, buttons, ...(card?.url ? { url: card.url } : {}) });
  return isPanelEvent(announcement) ? toPanel(reply) : reply;
}

type ShownParts = Pick<AnnouncementStyle, 'streak' | 'largeCredits'>;

/** What is rarer than a vote is a panel. */
export function isPanelEvent(announcement: Announcement): boolean {
  const isPremium = premiumEvents.includes(announcement.event);
  return !announcement.test && (isPremium || milestoneOf(announcement) !== null);
}

const premiumEvents: readonly string[] = premiumKinds;

/** The votes of the milestone that was reached; null for none. */
function milestoneOf({ bonuses }: Announcement): number | null {
  const counts = bonuses.filter(({ cause }) => cause === 'milestone').map(({ count }) => count);
  return counts.length === 0 ? null : Math.max(...counts);
}

function renderTest(listing: Markup, texts: AnnouncementTexts): Reply {
  return { tone: 'plain', title: texts.test, text: texts.tested(listing) };
}

function renderEvent(announcement: Announcement, listing: Markup, texts: AnnouncementTexts, style: ShownParts): Reply {
  const { title, text, tone } = headlineOf(announcement, listing, texts);
  return {
    tone,
    title,
    text: lines(
      text,
      ...renderPayment(announcement, texts, style),
      renderReason(announcement, texts),
      renderBonuses(announcement, texts),
      renderRoles(announcement, texts),
    ),
  };
}

interface Headline extends Pick<Reply, 'tone'> {
  readonly title: Markup;
  readonly text: Markup;
}

function headlineOf(announcement: Announcement, listing: Markup, texts: AnnouncementTexts): Headline {
  const { event, userId, tier, giftedBy } = announcement;
  const user = userId === null ? null : mention(userId);
  const tierName = tier === null ? null : escapeName(tier, 40) || null;
  switch (event) {
    case 'server_vote':
    case 'bot_vote':
      return { tone: 'good', title: voteTitle(announcement, texts), text: texts.voted(user, listing) };
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
      return { tone: 'plain', title: texts.titles.event, text: texts.event(user, escapeName(event, 60), listing) };
  }
}

function voteTitle(announcement: Announcement, { titles, milestone }: AnnouncementTexts): Markup {
  const votes = milestoneOf(announcement);
  return votes === null ? titles.vote : milestone(votes);
}

/** The credits of the event itself, the streak and the balance. Events that never pay have no line about credits. */
function renderPayment(announcement: Announcement, texts: AnnouncementTexts, style: ShownParts): (Markup | null)[] {
  const { event, credits, balance, calculation, bonuses, streak } = announcement;
  const isRewarded = !endsOrder(event);
  const own = credits - sumOf(bonuses);
  const ownCredits = own > 0 ? texts.credits(own) : isRewarded ? texts.noCredits : null;
  const isMultiplied = own > 0 && ownCredits !== null && calculation !== null;
  const payment = isMultiplied ? texts.multiplied(ownCredits, escapeName(calculation, 40)) : ownCredits;
  const isLarge = style.largeCredits && own > 0;
  const standing = [
    streak === null || !style.streak ? null : texts.streak(streak),
    balance === null ? null : texts.balance(balance),
  ];
  const isPart = own > 0 && !isLarge;
  const heading = isLarge ? markup`## ${payment ?? markup``}` : payment;
  return [isPart ? null : heading, joined([isPart ? payment : null, ...standing], ' · ')];
}

/** Ten embeds share the characters of a message, so that a vote that reaches dozens of milestones names only some. */
const maxBonuses = 4;
const maxRoles = 3;

export function renderBonuses({ bonuses }: Announcement, texts: AnnouncementTexts): Markup {
  const shown = bonuses.length > maxBonuses + 1 ? bonuses.slice(0, maxBonuses) : bonuses;
  const others = bonuses.slice(shown.length);
  const more = others.length > 0 ? texts.moreBonuses(others.length, sumOf(others)) : null;
  return joined([...shown.map((bonus) => renderBonus(bonus, texts)), more], ' · ');
}

function renderBonus({ cause, credits, count }: Bonus, { bonuses }: AnnouncementTexts): Markup {
  const isKnown = cause === 'streak' || cause === 'milestone' || cause === 'allListings';
  return bonuses[isKnown ? cause : 'unknown'](count, credits);
}

/** The end of a purchase only changes when its roles end. */
export function renderRoles({ event, roles }: Announcement, texts: AnnouncementTexts): Markup | null {
  if (roles.length === 0 || endsOrder(event)) return null;
  const shown = roles
    .slice(0, maxRoles)
    .map(({ role, until }) => texts.role(roleMention(role), until === null ? null : timestamp(until, 'f')));
  const others = roles.length - shown.length;
  return texts.roles(texts.list([...shown, others > 0 ? texts.moreRoles(others) : null]));
}

function sumOf(bonuses: readonly Bonus[]): number {
  return bonuses.reduce((sum, { credits }) => sum + credits, 0);
}

export function renderReason({ reason }: Announcement, texts: AnnouncementTexts): Markup | null {
  if (reason === null) return null;
  const text = Object.hasOwn(texts.reasons, reason) ? texts.reasons[reason] : undefined;
  return text ?? texts.because(escapeName(reason, 140));
}
