import {
  lines,
  type Markup,
  markup,
  mention,
  timestamp,
  trustedMarkup,
  webAddress,
} from '@tallyhook/platform/texts/markup';
import type { AnnouncementStyle } from '../../core/announcements/announcement-style.ts';
import { type ListingCard, listingName, siteName, voteLinks } from '../../core/announcements/listing-card.ts';
import type { Announcement } from '../../core/outbox/effect-contents.ts';
import type { Panel, Reply, ReplyButton } from '../../discord/commands/reply.ts';
import type { Portrait } from '../../discord/known-guilds.ts';
import { type PlaceholderName, placeholdersIn, renderTemplate } from '../../texts/template.ts';
import type { Texts } from '../../texts/texts.ts';
import { isPanelEvent, renderAnnouncement, renderBonuses, renderReason, renderRoles } from './announcement.ts';

const empty = markup``;

/**
 * Renders an announcement in the style of its listing.
 * @param voteButtons the buttons below a vote that counted, beside that of the style
 */
export function renderStyledAnnouncement(
  announcement: Announcement,
  context: StyleContext,
  voteButtons: readonly ReplyButton[],
): Reply | Panel {
  const { style, card, texts } = context;
  const content = withoutHidden(announcement, style);
  const links = style.voteButton ? voteLinks(card, texts.text('announcement.voteButton')) : [];
  const restyle = (reply: Reply) =>
    withPortraits(isStyled(content) ? withStyle(reply, content, context) : reply, content, context);
  return renderAnnouncement(content, { card, texts, style }, [...links, ...voteButtons], restyle);
}

/** With the voter and the icon of the server. A panel has one picture and no place for a name. */
function withPortraits(reply: Reply, announcement: Announcement, { style, card, voter, icon }: StyleContext): Reply {
  const { name, avatarUrl } = (!announcement.test && style.avatar && voter) || { name: '', avatarUrl: null };
  const avatar = isPanelEvent(announcement) && avatarUrl !== null ? { url: avatarUrl, description: name } : undefined;
  const thumbnail =
    reply.thumbnail ??
    avatar ??
    (style.icon && icon !== null ? { url: icon, description: card?.name ?? announcement.listing } : undefined);
  return {
    ...reply,
    ...(name === '' ? {} : { author: { name, ...(avatarUrl === null ? {} : { pictureUrl: avatarUrl }) } }),
    ...(thumbnail === undefined ? {} : { thumbnail }),
  };
}

/** The announcement without what the listing does not announce. */
function withoutHidden(announcement: Announcement, { milestones }: AnnouncementStyle): Announcement {
  if (milestones) return announcement;
  const hidden = announcement.bonuses.filter(({ cause }) => cause === 'milestone');
  const credits = hidden.reduce((sum, bonus) => sum + bonus.credits, 0);
  const bonuses = announcement.bonuses.filter((bonus) => !hidden.includes(bonus));
  return { ...announcement, bonuses, credits: announcement.credits - credits };
}

/** Whether the style applies to it: to votes, but not to tests. */
function isStyled({ event, test }: Announcement): boolean {
  return !test && (event === 'server_vote' || event === 'bot_vote');
}

export interface StyleContext {
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
