import {
  type AnnouncementPreview,
  ada,
  type Preview,
  type PreviewContext,
  vip,
} from '../../core/announcements/preview.ts';
import type { Announcement } from '../../core/outbox/effect-contents.ts';
import { hour } from '../../platform/durations.ts';
import { voteKindOf } from '../../webhook/event.ts';
import { renderStyledAnnouncement } from './styled-announcement.ts';

/** In place of the pictures of the voter and the server. */
const picture = 'https://example.com/picture.png';

function announce(
  { listing, kind, style, card, texts, buttons, now }: PreviewContext,
  subject: AnnouncementPreview['subject'],
  changes: Partial<Announcement> = {},
): AnnouncementPreview {
  const vote: Announcement = {
    event: voteKindOf(kind),
    test: false,
    listing,
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
  const context = { style, card, texts, votes: 50, voter: { name: 'ada', avatarUrl: picture }, icon: picture };
  return { subject, reply: renderStyledAnnouncement({ ...vote, ...changes }, context, buttons) };
}

export const votePreviews: Preview = (context) => {
  const { mode, milestones } = context.style;
  const isEach = mode === 'each';
  const roles = [{ role: vip, until: context.now + 12 * hour }];
  const bonuses = [{ cause: 'milestone', credits: 100, count: 50 }];
  return [
    ...(isEach ? [announce(context, 'vote'), announce(context, 'voteWithRole', { roles })] : []),
    ...(isEach || milestones ? [announce(context, 'milestone', { credits: 110, bonuses })] : []),
    ...(isEach ? [announce(context, 'denied', { credits: 0, reason: 'denied' })] : []),
  ];
};

export const premiumPreview: Preview = (context) => {
  const purchase = { event: 'premium_purchase', nextVoteAt: null, streak: null } as const;
  return context.style.premium ? [announce(context, 'premium', purchase)] : [];
};

export const testPreview: Preview = (context) => [announce(context, 'test', { test: true, streak: null })];
