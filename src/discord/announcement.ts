import type { Reply } from '../../commands/command.ts';
import type { Announcement } from '../outbox/effect.ts';
import type { Texts } from '../texts/en.ts';
import { bold, escapeName, grouped, joined, lines, type Markup, mention, timestamp } from '../texts/markup.ts';

/** What is known of a listing besides its configured name. */
export interface ListingCard {
  /** Its name on the service. */
  readonly name: string | null;
  /** Its public page. */
  readonly url: string | null;
}

type Says = Texts['announcement'];

/** What an announcement says, as a card of its own. */
export function renderAnnouncement(announcement: Announcement, card: ListingCard | null, says: Says): Reply {
  const listing = escapeName(card?.name ?? '', 60) || escapeName(announcement.listing, 60);
  const told = announcement.test ? test(announcement, listing, says) : event(announcement, listing, says);
  return { ...told, at: announcement.at, ...(card?.url ? { url: card.url } : {}) };
}

function test({ event }: Announcement, listing: Markup, says: Says): Reply {
  return { tone: 'plain', title: says.test, text: says.tested(bold(escapeName(event, 60)), listing) };
}

function event(announcement: Announcement, listing: Markup, says: Says): Reply {
  const { nextVoteAt } = announcement;
  const { title, text, tone } = happening(announcement, listing, says);
  const next = nextVoteAt === null ? null : says.nextVote(timestamp(nextVoteAt, 'R'));
  return { tone, title, text: lines(text, payment(announcement, says), reason(announcement, says), next) };
}

interface Happening extends Pick<Reply, 'tone'> {
  readonly title: Markup;
  readonly text: Markup;
}

function happening({ event, userId, tier, giftedBy }: Announcement, listing: Markup, says: Says): Happening {
  const who = userId === null ? null : mention(userId);
  const level = tier === null ? null : escapeName(tier, 40) || null;
  switch (event) {
    case 'server_vote':
    case 'bot_vote':
      return { tone: 'good', title: says.titles.vote, text: says.voted(who, listing) };
    case 'premium_purchase': {
      const isGift = giftedBy !== null && giftedBy !== userId;
      const text = isGift ? says.gifted(who, mention(giftedBy), listing, level) : says.bought(who, listing, level);
      return { tone: 'good', title: says.titles.bought, text };
    }
    case 'subscription.renewed':
      return { tone: 'good', title: says.titles.renewed, text: says.renewed(who, listing, level) };
    case 'subscription.expired':
      return { tone: 'wait', title: says.titles.expired, text: says.expired(who, listing, level) };
    case 'subscription.revoked':
      return { tone: 'bad', title: says.titles.revoked, text: says.revoked(who, listing, level) };
    default:
      return { tone: 'plain', title: says.titles.other, text: says.other(who, escapeName(event, 60), listing) };
  }
}

/** What it paid, and the balance; nothing where nothing was to be paid. */
function payment({ event, credits, balance }: Announcement, says: Says): Markup | null {
  const isOwed = event !== 'subscription.expired' && event !== 'subscription.revoked';
  const paid = credits > 0 ? says.credits(credits, grouped(credits)) : isOwed ? says.noCredits : null;
  return joined([paid, balance === null ? null : says.balance(balance, grouped(balance))], ' · ');
}

function reason({ reason }: Announcement, says: Says): Markup | null {
  if (reason === null) return null;
  const ours = Object.hasOwn(says.reasons, reason) ? says.reasons[reason] : undefined;
  return ours ?? says.because(escapeName(reason, 140));
}
