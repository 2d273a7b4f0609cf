import { commands } from '../../commands/index.ts';
import type { ListingConfig } from '../../config/schema.ts';
import { styleOf } from '../core/announcements/announcement-style.ts';
import type { Announcement } from '../core/outbox/effect-contents.ts';
import { voteOffers } from '../discord/commands/offers.ts';
import type { Panel, Reply } from '../discord/commands/reply.ts';
import { renderStyledAnnouncement } from '../features/announcements/styled-announcement.ts';
import { renderDigest } from '../features/digests/message.ts';
import { renderLostStreaks } from '../features/lost-streaks/message.ts';
import { renderNewReview } from '../features/reviews/message.ts';
import { hour } from '../platform/durations.ts';
import type { Texts } from '../texts/texts.ts';
import { findSite } from '../webhook/sites/site-settings.ts';

const [ada, grace, role] = ['200000000000000001', '200000000000000002', '300000000000000001'];
/** The names of the members and roles of the samples, by id. */
export const sampleNames: ReadonlyMap<string, string> = new Map([
  [ada, 'ada'],
  [grace, 'grace'],
  [role, 'VIP'],
]);
/** In place of the pictures of the voter and the server. */
const picture = 'https://example.com/picture.png';

/** What is announced of a listing, and how. */
export type AnnouncedListing = Pick<ListingConfig, 'name' | 'kind' | 'announcements' | 'site'>;

export type PreviewSubject = keyof Texts['console']['previews'];

export interface AnnouncementPreview {
  readonly subject: PreviewSubject;
  /** As it is posted. */
  readonly reply: Reply | Panel;
}

/**
 * What is announced of a listing by its settings, with sample members.
 * @param options `title` is the name of the listing as it is announced; `now` is in ms since the epoch
 */
export function previewAnnouncements(
  { name, kind, announcements, site }: AnnouncedListing,
  { title, texts, now }: { readonly title: string; readonly texts: Texts; readonly now: number },
): readonly AnnouncementPreview[] {
  const { mode, milestones, premium, lostStreaks, reviews } = announcements;
  const style = styleOf(announcements);
  const card = { name: title, url: 'https://example.com/', site: site && findSite(site).name };
  const buttons = voteOffers(commands, texts);
  const vote: Announcement = {
    event: kind === 'server' ? 'server_vote' : 'bot_vote',
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
  const announce = (subject: PreviewSubject, changes: Partial<Announcement>): AnnouncementPreview => {
    const context = { style, card, texts, votes: 50, voter: { name: 'ada', avatarUrl: picture }, icon: picture };
    return { subject, reply: renderStyledAnnouncement({ ...vote, ...changes }, context, buttons) };
  };
  const reached = { credits: 110, bonuses: [{ cause: 'milestone', credits: 100, count: 50 }] };
  const isEach = mode === 'each';
  return [
    ...(isEach ? [announce('vote', {})] : []),
    ...(isEach ? [announce('voteWithRole', { roles: [{ role, until: now + 12 * hour }] })] : []),
    ...(isEach || milestones ? [announce('milestone', reached)] : []),
    ...(isEach ? [announce('denied', { credits: 0, reason: 'denied' })] : []),
    ...(mode === 'digest' ? [{ subject: 'digest' as const, reply: sampleDigest() }] : []),
    ...(premium ? [announce('premium', { event: 'premium_purchase', nextVoteAt: null, streak: null })] : []),
    ...(lostStreaks === null
      ? []
      : [{ subject: 'lostStreaks' as const, reply: renderLostStreaks(sampleStreaks(lostStreaks), texts) }]),
    ...(reviews
      ? [
          {
            subject: 'review' as const,
            reply: renderNewReview(sampleReview(texts, now), { listing: name, texts, card }),
          },
        ]
      : []),
    announce('test', { test: true, streak: null }),
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

function sampleReview({ console: words }: Texts, createdAt: number) {
  return { username: 'Ada', rating: 5, comment: words.previewReview, createdAt };
}
