import type { ListingConfig } from '../../config/schema.ts';
import { styleOf } from '../core/announcements/announcement-style.ts';
import type { Announcement } from '../core/outbox/effect-contents.ts';
import type { Panel, Reply, ReplyButton } from '../discord/commands/reply.ts';
import { renderStyledAnnouncement } from '../features/announcements/styled-announcement.ts';
import { renderDigest } from '../features/digests/message.ts';
import { renderLostStreaks } from '../features/lost-streaks/message.ts';
import { renderNewReview } from '../features/reviews/message.ts';
import { hour } from '../platform/durations.ts';
import { textsFor } from '../texts/texts.ts';

const [ada, grace, role] = ['200000000000000001', '200000000000000002', '300000000000000001'];
/** How the members and roles of the samples are shown. */
const names: Readonly<Record<string, string>> = { [ada]: '@ada', [grace]: '@grace', [`&${role}`]: '@role' };

/** The announcements of the configured listings. @param now ms since the epoch */
export function previewListings(listings: readonly ListingConfig[], now: number): readonly ListingPreviews[] {
  return listings
    .filter(({ implied }) => !implied)
    .map((listing) => {
      const { name, announcements } = listing;
      return { listing: name, mode: announcements.mode, previews: previewAnnouncements(listing, now) };
    });
}

/** What is announced of a listing by its settings, with sample members. @param now ms since the epoch */
function previewAnnouncements(listing: ListingConfig, now: number): readonly AnnouncementPreview[] {
  const { name, announcements } = listing;
  const { mode, milestones, premium, lostStreaks, reviews } = announcements;
  const style = styleOf(announcements);
  const texts = textsFor(announcements.language);
  const card = { name, url: 'https://example.com/' };
  const buttons: readonly ReplyButton[] = [
    { kind: 'action', command: 'remind', action: 'on', label: texts.remind.button },
  ];
  const vote: Announcement = {
    event: listing.kind === 'server' ? 'server_vote' : 'bot_vote',
    test: false,
    listing: name,
    userId: ada,
    credits: 10,
    balance: 120,
    reason: null,
    at: now,
    nextVoteAt: now + 12 * hour,
    tier: null,
    giftedBy: null,
    streak: 7,
    calculation: null,
    bonuses: [],
    roles: [],
  };
  const announce = (subject: string, changes: Partial<Announcement>) => {
    const context = { style, card, texts, votes: 50, voter: null, icon: null };
    return previewOf(subject, renderStyledAnnouncement({ ...vote, ...changes }, context, buttons));
  };
  const reached = { credits: 110, bonuses: [{ cause: 'milestone', credits: 100, count: 50 }] };
  const isEach = mode === 'each';
  return [
    ...(isEach ? [announce('a vote', {})] : []),
    ...(isEach ? [announce('a vote that earned a role', { roles: [{ role, until: now + 12 * hour }] })] : []),
    ...(isEach || milestones ? [announce('a milestone', reached)] : []),
    ...(isEach ? [announce('a denied vote', { credits: 0, reason: 'denied by the service' })] : []),
    ...(mode === 'digest' ? [previewOf('a digest', sampleDigest())] : []),
    ...(premium ? [announce('premium', { event: 'premium_purchase', nextVoteAt: null, streak: null })] : []),
    ...(lostStreaks === null ? [] : [previewOf('lost streaks', renderLostStreaks(sampleStreaks(lostStreaks), texts))]),
    ...(reviews ? [previewOf('a review', renderNewReview(sampleReview(now), { listing: name, texts, card }))] : []),
    announce('a test', { test: true, streak: null }),
  ];

  function sampleDigest(): Panel {
    const content = {
      votes: 12,
      voters: 8,
      credits: 220,
      moreMilestones: 0,
      top: [
        { userId: ada, votes: 3 },
        { userId: grace, votes: 2 },
      ],
      milestones: [{ userId: ada, votes: 50 }],
    };
    return renderDigest(content, { listing: name, texts, card, style, buttons, picture: null });
  }
}

function sampleStreaks(days: number) {
  return { streaks: [ada, grace].map((userId) => ({ userId, days })), more: 0 };
}

function sampleReview(createdAt: number) {
  return { username: 'Ada', rating: 5, comment: 'A friendly place.', createdAt };
}

function previewOf(subject: string, reply: Reply | Panel): AnnouncementPreview {
  const blocks = 'kind' in reply ? reply.blocks : [];
  const texts = 'kind' in reply ? blocks.flatMap((block) => ('text' in block ? [block.text] : [])) : [reply.text ?? ''];
  const buttons =
    'kind' in reply ? blocks.flatMap((block) => ('buttons' in block ? block.buttons : [])) : reply.buttons;
  return {
    subject,
    title: readable(reply.title ?? ''),
    text: texts.filter((text) => text !== '').flatMap((text) => readable(text).split('\n')),
    buttons: (buttons ?? []).map(({ label }) => label),
  };
}

/** With names and times in place of Discord's mentions and timestamps. The texts are short. */
function readable(text: string): string {
  return text
    .replace(/<@(&?\d{1,20})>/g, (mention, id: string) => names[id] ?? mention)
    .replace(/^\[([^\]]*)\]\(https:[^)]*\)$/, '$1')
    .replace(/<t:\d{1,15}:R>/g, 'in 12 hours')
    .replace(/<t:(\d{1,12}):\w>/g, (_, seconds: string) =>
      new Date(Number(seconds) * 1_000).toISOString().slice(0, 16),
    );
}

/** As lines for a terminal. */
export function formatPreview({ subject, title, text, buttons }: AnnouncementPreview): readonly string[] {
  const shown = buttons.length === 0 ? [] : [`  ${buttons.map((label) => `[${label}]`).join(' ')}`];
  return [`${subject}:`, ...[title, ...text].map((line) => `  ${line}`.trimEnd()), ...shown];
}

/** What an announcement looks like, as plain text with Discord's markup. */
export interface AnnouncementPreview {
  /** What is announced. */
  readonly subject: string;
  readonly title: string;
  /** Lines. */
  readonly text: readonly string[];
  /** Labels. */
  readonly buttons: readonly string[];
}

/** The announcements of a listing, with sample members. */
export interface ListingPreviews {
  readonly listing: string;
  /** How votes are announced. */
  readonly mode: string;
  readonly previews: readonly AnnouncementPreview[];
}
