import { hour } from '@tallyhook/platform/durations';
import {
  bold,
  escapeName,
  joined,
  lines,
  type Markup,
  markup,
  mention,
  roleMention,
  timestamp,
  trustedMarkup,
  webAddress,
} from '@tallyhook/platform/texts/markup';
import {
  type ListingCard,
  listingName,
  ownReason,
  siteName,
  voteLinks,
} from '../../core/announcements/announcement.ts';
import type { AnnouncementStyle } from '../../core/announcements/announcement-style.ts';
import type { Announcement, Bonus } from '../../core/outbox/effect-kind.ts';
import type { Reply, ReplyButton } from '../../discord/commands/reply.ts';
import type { Portrait } from '../../discord/known-guilds.ts';
import { type PlaceholderName, placeholdersIn, renderTemplate } from '../../texts/template.ts';
import type { Texts } from '../../texts/texts.ts';
import { endsOrder } from '../../webhook/event.ts';

/**
 * Renders an announcement; `card` is null if only the configured name of the listing is known.
 * @param voteButtons the buttons below a vote that counted
 */
function renderAnnouncement(
  announcement: Announcement,
  {
    card,
    texts,
    style,
  }: {
    readonly card: ListingCard | null;
    readonly texts: Texts;
    readonly style: ShownParts;
  },
  voteButtons: readonly ReplyButton[],
): Reply {
  const listing = listingName(card, announcement.listing);
  const content = announcement.test ? renderTest(listing, texts) : renderEvent(announcement, listing, texts, style);
  const buttons = announcement.streak === null ? [] : voteButtons;
  return { ...content, at: announcement.at, buttons, ...(card?.url ? { url: card.url } : {}) };
}

type ShownParts = Pick<AnnouncementStyle, 'streak' | 'largeCredits'>;

/** The votes of the milestone that was reached; null for none. */
function milestoneOf({ bonuses }: Announcement): number | null {
  const counts = bonuses.filter(({ cause }) => cause === 'milestone').map(({ count }) => count);
  return counts.length === 0 ? null : Math.max(...counts);
}

function renderTest(listing: Markup, texts: Texts): Reply {
  return {
    tone: 'plain',
    title: texts.text('announcement.test'),
    text: texts.text('announcement.tested', { name: listing }),
  };
}

function renderEvent(announcement: Announcement, listing: Markup, texts: Texts, style: ShownParts): Reply {
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

function headlineOf(announcement: Announcement, listing: Markup, texts: Texts): Headline {
  const { event, userId, tier, giftedBy } = announcement;
  const { text } = texts;
  const user = userId === null ? null : mention(userId);
  const who = user ?? text('announcement.someone');
  const premium = {
    name: listing,
    tier: bold(escapeName(tier ?? '', 40)) || text('announcement.premium'),
  };
  switch (event) {
    case 'server_vote':
    case 'bot_vote':
      return {
        tone: 'good',
        title: voteTitle(announcement, texts),
        text: text('announcement.voted', { user: who, name: listing }),
      };
    case 'premium_purchase': {
      const isGift = giftedBy !== null && giftedBy !== userId;
      const bought = isGift
        ? text('announcement.gifted', { ...premium, user: who, giver: mention(giftedBy) })
        : text('announcement.bought', { ...premium, user: who });
      return { tone: 'good', title: text('announcement.titles.bought'), text: bought };
    }
    case 'subscription.renewed':
      return {
        tone: 'good',
        title: text('announcement.titles.renewed'),
        text: text('announcement.renewed', { ...premium, user: who }),
      };
    case 'subscription.expired':
      return {
        tone: 'wait',
        title: text('announcement.titles.expired'),
        text:
          user === null
            ? text('announcement.someExpired', premium)
            : text('announcement.expired', { ...premium, user }),
      };
    case 'subscription.revoked':
      return {
        tone: 'bad',
        title: text('announcement.titles.revoked'),
        text:
          user === null
            ? text('announcement.someRevoked', premium)
            : text('announcement.revoked', { ...premium, user }),
      };
    default: {
      const values = { name: listing, event: escapeName(event, 60) };
      return {
        tone: 'plain',
        title: text('announcement.titles.event'),
        text: user === null ? text('announcement.event', values) : text('announcement.eventBy', { ...values, user }),
      };
    }
  }
}

function voteTitle(announcement: Announcement, { text }: Texts): Markup {
  const votes = milestoneOf(announcement);
  return votes === null ? text('announcement.titles.vote') : text('announcement.milestone', { count: votes });
}

/** The credits of the event itself, the streak and the balance. Events that never pay have no line about credits. */
function renderPayment(announcement: Announcement, texts: Texts, style: ShownParts): (Markup | null)[] {
  const { event, credits, balance, calculation, bonuses, streak } = announcement;
  const isRewarded = !endsOrder(event);
  const own = credits - sumOf(bonuses);
  const ownCredits =
    own > 0
      ? texts.text('announcement.credits', { credits: texts.text('parts.credits', { count: own }) })
      : isRewarded
        ? texts.text('announcement.noCredits')
        : null;
  const isMultiplied = own > 0 && ownCredits !== null && calculation !== null;
  const payment = isMultiplied
    ? texts.text('announcement.multiplied', { credits: ownCredits, calculation: escapeName(calculation, 40) })
    : ownCredits;
  const isLarge = style.largeCredits && own > 0;
  const standing = [
    streak === null || !style.streak ? null : markup`🔥 ${texts.text('parts.days', { count: streak })}`,
    balance === null
      ? null
      : texts.text('announcement.balance', { credits: texts.text('parts.credits', { count: balance }) }),
  ];
  const isPart = own > 0 && !isLarge;
  const heading = isLarge ? markup`## ${payment ?? markup``}` : payment;
  return [isPart ? null : heading, joined([isPart ? payment : null, ...standing], ' · ')];
}

/** Ten embeds share the characters of a message, so that a vote that reaches dozens of milestones names only some. */
const maxBonuses = 4;
const maxRoles = 3;

function renderBonuses({ bonuses }: Announcement, texts: Texts): Markup {
  const shown = bonuses.length > maxBonuses + 1 ? bonuses.slice(0, maxBonuses) : bonuses;
  const others = bonuses.slice(shown.length);
  const more =
    others.length > 0 ? texts.text('announcement.moreBonuses', { count: others.length, credits: sumOf(others) }) : null;
  return joined([...shown.map((bonus) => renderBonus(bonus, texts)), more], ' · ');
}

function renderBonus({ cause, credits, count, name }: Bonus, { text, has }: Texts): Markup {
  if (name !== undefined) return text('announcement.bonuses.named', { name: escapeName(name), credits });
  return text(`announcement.bonuses.${has('announcement.bonuses', cause) ? cause : 'unknown'}`, { count, credits });
}

/** The end of a purchase only changes when its roles end. */
function renderRoles({ event, roles, at }: Announcement, texts: Texts): Markup | null {
  if (roles.length === 0 || endsOrder(event)) return null;
  const shown = roles.slice(0, maxRoles).map((each) => renderRole(each, at, texts));
  const others = roles.length - shown.length;
  return texts.list([...shown, others > 0 ? texts.text('announcement.moreRoles', { count: others }) : null]);
}

/** For how long, or until when if that is not so many hours after the event. */
function renderRole({ role: id, until }: Announcement['roles'][number], at: number, { text, duration }: Texts): Markup {
  const role = roleMention(id);
  if (until === null) return role;
  return until > at && (until - at) % hour === 0
    ? text('announcement.roleFor', { role, duration: duration(until - at) })
    : text('announcement.roleUntil', { role, time: timestamp(until, 'f') });
}

function sumOf(bonuses: readonly Bonus[]): number {
  return bonuses.reduce((sum, { credits }) => sum + credits, 0);
}

function renderReason({ reason }: Announcement, { text }: Texts): Markup | null {
  if (reason === null) return null;
  const known = ownReason(reason);
  return known === null ? text('announcement.because', { reason: escapeName(reason, 140) }) : text(known);
}

const empty = markup``;

/**
 * Renders an announcement in the style of its listing.
 * @param voteButtons the buttons below a vote that counted, beside that of the style
 */
export function renderStyledAnnouncement(
  announcement: Announcement,
  context: StyleContext,
  voteButtons: readonly ReplyButton[],
): Reply {
  const { style, card, texts } = context;
  const content = withoutHidden(announcement, style);
  const links = style.voteButton ? voteLinks(card, texts.text('announcement.voteButton')) : [];
  const reply = renderAnnouncement(content, { card, texts, style }, [...links, ...voteButtons]);
  return withPortraits(isStyled(content) ? withStyle(reply, content, context) : reply, content, context);
}

/** An announcement with the voter and the icon of the server. */
function withPortraits(reply: Reply, announcement: Announcement, { style, card, voter, icon }: StyleContext): Reply {
  const { name, avatarUrl } = (!announcement.test && style.avatar && voter) || { name: '', avatarUrl: null };
  const thumbnail =
    reply.thumbnail ??
    (style.icon && icon !== null ? { url: icon, description: card?.name ?? announcement.listing } : undefined);
  return {
    ...reply,
    ...(name === '' ? {} : { author: { name, ...(avatarUrl === null ? {} : { pictureUrl: avatarUrl }) } }),
    ...(thumbnail === undefined ? {} : { thumbnail }),
  };
}

function withoutHidden(announcement: Announcement, { milestones }: AnnouncementStyle): Announcement {
  if (milestones) return announcement;
  const hidden = announcement.bonuses.filter(({ cause }) => cause === 'milestone');
  const credits = hidden.reduce((sum, bonus) => sum + bonus.credits, 0);
  const bonuses = announcement.bonuses.filter((bonus) => !hidden.includes(bonus));
  return { ...announcement, bonuses, credits: announcement.credits - credits };
}

/** True if the style applies to it: to votes, but not to tests. */
function isStyled({ event, test }: Announcement): boolean {
  return !test && (event === 'server_vote' || event === 'bot_vote');
}

interface StyleContext {
  readonly style: AnnouncementStyle;
  readonly card: ListingCard | null;
  readonly texts: Texts;
  /** How Discord shows the voter, and the URL of the server's icon; null if it is not known. */
  readonly voter: Portrait | null;
  readonly icon: string | null;
  /** Counted votes of the voter now; null if they are not known. Needed for the placeholder {votes} alone. */
  readonly votes: number | null;
}

/**
 * The announcement of a vote in the owner's style. What the vote earned beside its credits, and why it earned less, is
 * added below the owner's text, unless that contains it.
 */
function withStyle(reply: Reply, announcement: Announcement, context: StyleContext): Reply {
  const { style } = context;
  const framed: Reply = {
    ...reply,
    ...(style.colour === null ? {} : { colour: style.colour }),
    ...(style.thumbnail === null
      ? {}
      : { thumbnail: { url: style.thumbnail, description: context.card?.name ?? announcement.listing } }),
  };
  // In the other modes, it is announced for its milestone.
  if (style.mode !== 'each') return framed;
  const values = valuesOf(announcement, context);
  const title = style.title === null ? empty : renderTemplate(style.title, values);
  return {
    ...framed,
    ...(title.trim() === '' ? {} : { title }),
    ...(style.text === null ? {} : { text: textOf(style.text, values) }),
  };
}

function textOf(template: NonNullable<AnnouncementStyle['text']>, values: Values): Markup {
  const contained = placeholdersIn(template);
  const added = (['reason', 'bonuses', 'roles'] as const).filter((name) => !contained.includes(name));
  return lines(renderTemplate(template, values), ...added.map((name) => values[name]));
}

type Values = Readonly<Record<PlaceholderName, Markup>>;

function valuesOf(announcement: Announcement, { card, texts, votes }: StyleContext): Values {
  const { number, text } = texts;
  const { userId, listing, credits, balance, streak, nextVoteAt, at } = announcement;
  return {
    mention: userId === null ? text('announcement.someone') : mention(userId),
    listing: listingName(card, listing),
    site: siteName(card),
    credits: number(credits),
    balance: number(balance ?? 0),
    votes: number(votes ?? 0),
    streak: number(streak ?? 0),
    next: nextVoteAt === null ? empty : timestamp(nextVoteAt, 'R'),
    time: timestamp(at, 'f'),
    reason: renderReason(announcement, texts) ?? empty,
    bonuses: renderBonuses(announcement, texts),
    roles: renderRoles(announcement, texts) ?? empty,
    url: trustedMarkup(webAddress(card?.url) ?? ''),
  };
}
