import { bold, escapeText, lines, type Markup, memberName, subtext } from '@tallyhook/platform/texts/markup';
import type { AnnouncementStyle } from '../../core/announcements/announcement-style.ts';
import {
  type ListingCard,
  type ListingMessages,
  listingName,
  postAbout,
  voteLinks,
} from '../../core/announcements/listing-card.ts';
import { ada, grace, type Preview } from '../../core/announcements/preview.ts';
import type { Handle } from '../../core/outbox/perform.ts';
import { amountPerVote } from '../../core/rewards/decide-vote.ts';
import { nextMilestone } from '../../core/rewards/milestones.ts';
import { calendarOf } from '../../core/tally/community.ts';
import type { Panel, PanelBlock, ReplyButton } from '../../discord/commands/reply.ts';
import type { Texts } from '../../texts/texts.ts';
import type { VotePicture } from '../parts.ts';
import type { Digest, VoteSummary } from './store.ts';

/** The votes of a listing in a period (ms since the epoch, `until` exclusive). Rejects with the driver's error. */
export type VotesBetween = (listing: string, from: number, until: number) => Promise<VoteSummary>;

interface DigestSource {
  readonly votesBetween: VotesBetween;
  /** Null if there is none. Never rejects. */
  readonly drawPicture: (listing: string, texts: Texts) => Promise<VotePicture | null>;
}

/** Posts the digest of a period, unless it has no votes. */
export function createDigestHandler(
  messages: ListingMessages,
  { votesBetween, drawPicture }: DigestSource,
): Handle<Digest> {
  return async (effect) => {
    const { listing, from, until } = effect.content;
    const content = await votesBetween(listing, from, until);
    if (content.votes === 0) return { outcome: 'done' };
    return postAbout(messages, effect, async ({ texts, card, style, buttons }) => {
      const ids = [...content.top, ...content.milestones].map(({ userId }) => userId);
      const [picture, departed] = await Promise.all([
        drawPicture(listing, texts),
        messages.findDeparted({ channelId: effect.content.channelId }, [...new Set(ids)]),
      ]);
      const panel = renderDigest(content, { texts, card, style, listing, buttons, picture, departed });
      const footer = card?.name ?? listing;
      return { reply: { ...panel, footer, since: from, at: until }, footers: [footer, listing] };
    });
  };
}

function renderDigest(
  content: VoteSummary,
  context: {
    readonly listing: string;
    readonly texts: Texts;
    readonly card: ListingCard | null;
    readonly style: AnnouncementStyle;
    readonly buttons: readonly ReplyButton[];
    readonly picture: VotePicture | null;
    /** The names of members who have left. */
    readonly departed: ReadonlyMap<string, string>;
  },
): Panel {
  const { listing, texts, card, style, picture, departed } = context;
  const { text } = texts;
  const { votes, voters, credits, top, milestones, moreMilestones } = content;
  const summary = lines(
    text('digest.votes', {
      votes: text('parts.votes', { count: votes }),
      members: text('parts.members', { count: voters }),
    }),
    text('digest.credits', { credits: text('parts.credits', { count: credits }) }),
  );
  const reached = style.milestones ? milestones : [];
  const topVoters = top.map(({ userId, votes: own }) =>
    text('digest.voter', { user: memberName(userId, departed), votes: text('parts.votes', { count: own }) }),
  );
  const reachedBy = reached.map(({ userId, votes: own }) =>
    text('digest.milestone', { count: own, user: memberName(userId, departed) }),
  );
  const others = style.milestones && moreMilestones > 0 ? [text('digest.more', { count: moreMilestones })] : [];
  const voteButtons = style.voteButton ? voteLinks(card, texts.text('announcement.voteButton')) : [];
  return {
    kind: 'panel',
    tone: 'good',
    ...(style.colour === null ? {} : { colour: style.colour }),
    title: text('digest.title', { name: listingName(card, listing) }),
    blocks: [
      style.thumbnail === null
        ? { kind: 'text', text: summary }
        : { kind: 'thumbnail', text: summary, url: style.thumbnail, description: card?.name ?? listing },
      ...section(text('digest.top'), topVoters),
      ...section(text('digest.milestones'), [...reachedBy, ...others]),
      ...(picture === null ? [] : pictureBlocks(picture)),
      { kind: 'buttons', buttons: [...voteButtons, ...context.buttons] },
    ],
    ...(picture === null ? {} : { files: [picture.file] }),
  };
}

export const digestPreview: Preview = (context) => {
  if (context.style.mode !== 'digest') return [];
  const top = [ada, grace].map((userId, index) => ({ userId, votes: 3 - index }));
  const milestone = nextMilestone(context.rewards.milestones, 0);
  const milestones = milestone === null ? [] : [{ userId: ada, votes: milestone.votes }];
  const votes = 12;
  const { credits: perVote } = amountPerVote(context.rewards, calendarOf(context), context.now);
  const credits = votes * perVote + (milestone?.credits ?? 0);
  const content = { votes, voters: 8, credits, top, milestones, moreMilestones: 0 };
  return [{ subject: 'digest', reply: renderDigest(content, { ...context, picture: null, departed: new Map() }) }];
};

function pictureBlocks({ file, caption }: VotePicture): PanelBlock[] {
  return [
    { kind: 'image', file: file.name, description: file.description ?? '' },
    ...(caption === null ? [] : [{ kind: 'text' as const, text: subtext(escapeText(caption)) }]),
  ];
}

function section(heading: Markup, items: readonly Markup[]): PanelBlock[] {
  return items.length === 0 ? [] : [{ kind: 'text', text: lines(bold(heading), ...items) }];
}
