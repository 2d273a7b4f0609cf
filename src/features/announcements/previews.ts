import type { AnnouncementStyle } from '../../core/announcements/announcement-style.ts';
import { ada, type Preview, type PreviewContext, vip } from '../../core/announcements/preview.ts';
import type { Announcement } from '../../core/outbox/effect-contents.ts';
import { hour } from '../../platform/durations.ts';
import { renderStyledAnnouncement } from './styled-announcement.ts';

/** In place of the pictures of the voter and the server. */
const picture = 'https://example.com/picture.png';

/** A vote of a sample member with a change, if it is announced. */
function preview(
  subject: Preview['subject'],
  isAnnounced: (style: AnnouncementStyle) => boolean,
  change: (context: PreviewContext) => Partial<Announcement>,
): Preview {
  return {
    subject,
    render(context) {
      const { listing, kind, style, card, texts, buttons, now } = context;
      if (!isAnnounced(style)) return null;
      const vote: Announcement = {
        event: kind === 'server' ? 'server_vote' : 'bot_vote',
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
      const known = { votes: 50, voter: { name: 'ada', avatarUrl: picture }, icon: picture };
      return renderStyledAnnouncement({ ...vote, ...change(context) }, { style, card, texts, ...known }, buttons);
    },
  };
}

const isEach = ({ mode }: AnnouncementStyle) => mode === 'each';
const milestone = { credits: 110, bonuses: [{ cause: 'milestone', credits: 100, count: 50 }] };

export const ofVotes = [
  preview('vote', isEach, () => ({})),
  preview('voteWithRole', isEach, ({ now }) => ({ roles: [{ role: vip, until: now + 12 * hour }] })),
  preview(
    'milestone',
    (style) => isEach(style) || style.milestones,
    () => milestone,
  ),
  preview('denied', isEach, () => ({ credits: 0, reason: 'denied' })),
];

export const ofPremium = preview(
  'premium',
  ({ premium }) => premium,
  () => ({ event: 'premium_purchase', nextVoteAt: null, streak: null }),
);

export const ofTests = preview(
  'test',
  () => true,
  () => ({ test: true, streak: null }),
);
