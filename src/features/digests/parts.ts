import { BoundedMap } from '@tallyhook/platform/bounded-map';
import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { bold, escapeText, joined, lines, type Markup, memberName, subtext } from '@tallyhook/platform/texts/markup';
import { settleWithin } from '@tallyhook/platform/with-timeout';
import {
  ada,
  grace,
  type ListingCard,
  type ListingMessages,
  listingName,
  type Preview,
  postAbout,
  voteLinks,
} from '../../core/announcements/announcement.ts';
import type { AnnouncementStyle } from '../../core/announcements/announcement-style.ts';
import { type Handle, handle } from '../../core/outbox/perform.ts';
import { amountPerVote } from '../../core/rewards/decide-vote.ts';
import { nextMilestone } from '../../core/rewards/milestones.ts';
import { calendarOf } from '../../core/tally/community.ts';
import type { Panel, PanelBlock, ReplyButton } from '../../discord/commands/reply.ts';
import { medalOf } from '../../texts/boards.ts';
import type { Texts } from '../../texts/texts.ts';
import type { CommunityListing, Directory } from '../communities/feature.ts';
import { hiddenRolesOf } from '../guards/feature.ts';
import type { AnnouncementTask, FeatureParts, PartsContext, VotePicture } from '../parts.ts';
import { seasonLines } from '../season.ts';
import { digestInterval } from './settings.ts';
import {
  type Digest,
  type DigestStore,
  digestKind,
  type HidingListing,
  nextPeriod,
  type Summaries,
  settleMs,
  type VoteSummary,
} from './store.ts';

export function createDigestTask(
  { name: listing, announceChannelId: channelId, timeZone, announcements, community }: CommunityListing,
  { store: { digests: store }, clock }: Pick<DigestContext, 'store' | 'clock'>,
  votesBetween: VotesBetween,
): AnnouncementTask['run'] {
  const communityId = community.id;
  const calendar = calendarOf({ timeZone });
  return async () => {
    if (channelId === null) return null;
    const now = clock.now();
    const announcedUntil = await store.announcedUntil(listing);
    const period = nextPeriod(announcedUntil, { calendar, everyMs: digestInterval.in(announcements), now });
    if (period === null) return null;
    const { from, until } = period;
    const hasVotes = from < until && (await votesBetween(listing, from, until)).votes > 0;
    return store.plan({ listing, communityId, channelId, announcedUntil, from, until, hasVotes }, now);
  };
}

/** How long a scan is used (ms): as short as a member who is forgotten meanwhile may still be named. */
const maxAgeMs = 10 * second;
/** Different periods that are remembered: of several time zones and intervals. */
const maxScans = 50;

const noVotes: VoteSummary = { votes: 0, voters: 0, credits: 0, top: [], milestones: [], moreMilestones: 0 };

/**
 * Votes for listings in a period, by the time of receipt: so a vote that arrives late is in a later one. The newest
 * entries are scanned once for all listings whose periods are the same, as most are.
 */
export function createVotesBetween(
  store: Pick<DigestStore, 'votesOf'>,
  clock: Clock,
  hiding: () => readonly HidingListing[] = () => [],
): VotesBetween {
  const scans = new BoundedMap<{ readonly at: number; readonly summaries: Promise<Summaries> }>(maxScans);

  return async (listing, from, until) => {
    const key = `${from} ${until}`;
    const known = scans.get(key);
    const at = clock.monotonic();
    if (known !== undefined && at - known.at < maxAgeMs) return (await known.summaries).get(listing) ?? noVotes;
    const summaries = store.votesOf({ from, until }, hiding());
    // Only a period that has ended has all its votes.
    if (until + settleMs <= clock.now()) {
      scans.set(key, { at, summaries });
      summaries.catch(() => scans.delete(key));
    }
    return (await summaries).get(listing) ?? noVotes;
  };
}

/** An attempt to post is limited in time (ms). */
const maxDrawingMs = 3 * second;

interface DigestContext extends PartsContext {
  readonly store: { readonly digests: DigestStore };
}

export function create(context: DigestContext) {
  const { store, directory, clock } = context;
  const hiding = () =>
    directory.listings.flatMap(({ name, community, ...listing }) => {
      const hiddenRoles = hiddenRolesOf([listing]);
      return hiddenRoles.length === 0 ? [] : [{ name, communityId: community.id, hiddenRoles }];
    });
  const votesBetween = createVotesBetween(store.digests, clock, hiding);
  let keptDigests: string | undefined;
  return {
    effects: [handle(digestKind, createDigestHandler(context, votesBetween))],
    tasks: ({ named }) =>
      named
        .filter(isDigested)
        .map((listing) => ({ name: 'digest', run: createDigestTask(listing, context, votesBetween) })),
    async prepareTasks() {
      const digested = directory.listings.filter(isDigested).map(({ name }) => name);
      if (keptDigests === digested.join()) return;
      await store.digests.keepOf(digested);
      keptDigests = digested.join();
    },
  } satisfies FeatureParts;
}

function isDigested({ implied, announceChannelId, announcements }: CommunityListing): boolean {
  return !implied && announceChannelId !== null && announcements.mode === 'digest';
}

/** The votes of a listing in a period (ms since the epoch, `until` exclusive). Rejects with the driver's error. */
export type VotesBetween = (listing: string, from: number, until: number) => Promise<VoteSummary>;

export function createDigestHandler(
  messages: ListingMessages &
    Pick<DigestContext, 'drawVotePicture'> & { readonly directory: Pick<Directory, 'communityOf'> },
  votesBetween: VotesBetween,
): Handle<Digest> {
  const { findDeparted, drawVotePicture, directory, clock } = messages;
  return async (effect) => {
    const { listing, from, until } = effect.content;
    const content = await votesBetween(listing, from, until);
    if (content.votes === 0) return { outcome: 'done' };
    return postAbout(messages, effect, async ({ texts, card, style, buttons }) => {
      const ids = [...content.top, ...content.milestones].map(({ userId }) => userId);
      const drawing = drawVotePicture({ listings: [listing], texts, scale: 2, now: clock.now() });
      const [picture = null, departed] = await Promise.all([
        settleWithin(maxDrawingMs, clock, drawing),
        findDeparted({ channelId: effect.content.channelId }, [...new Set(ids)]),
      ]);
      const community = directory.communityOf(listing);
      const season = community === undefined ? [] : seasonLines(community, texts, clock.now());
      const panel = renderDigest(content, { texts, card, style, listing, buttons, picture, season, departed });
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
    /** The current prizes and raffle, a line each. */
    readonly season: readonly Markup[];
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
  const topVoters = top.map(({ userId, votes: own }) => {
    const medal = medalOf(1 + top.filter((other) => other.votes > own).length);
    const votesOf = text('parts.votes', { count: own });
    return joined([medal, text('digest.voter', { user: memberName(userId, departed), votes: votesOf })], ' ');
  });
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
      ...section(text('digest.season'), context.season),
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
  return [
    { subject: 'digest', reply: renderDigest(content, { ...context, picture: null, season: [], departed: new Map() }) },
  ];
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
