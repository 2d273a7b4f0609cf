import {
  type AnnouncementPreview,
  ada,
  type Preview,
  type PreviewContext,
  sampleIcon,
  vip,
} from '../../core/announcements/announcement.ts';
import type { Announcement } from '../../core/outbox/effect-kind.ts';
import { decidePremium, decideVote } from '../../core/rewards/decide-vote.ts';
import { addVote, emptyHistory } from '../../core/rewards/history.ts';
import { nextMilestone } from '../../core/rewards/milestones.ts';
import { creditsOf, type RewardEntry } from '../../core/rewards/reward.ts';
import { streakOn } from '../../core/rewards/streak.ts';
import { calendarOf } from '../../core/tally/community.ts';
import { announcementOf, testAnnouncementOf } from '../../core/tally/write-event.ts';
import { type Event, voteKindOf } from '../../webhook/event.ts';
import { renderStyledAnnouncement } from './styled-announcement.ts';

/** In place of the picture of the voter. */
const picture = 'https://example.com/picture.png';
/** The sample member before the event: counted votes, of which the latest were on the days before, and credits. */
const [votesBefore, daysBefore, balanceBefore] = [12, 2, 110];

function paid(
  { listing: name, rewards, now }: PreviewContext,
  event: Event,
  { entries, streak }: { readonly entries: readonly RewardEntry[]; readonly streak: number | null },
): Announcement {
  const balance = balanceBefore + creditsOf(entries);
  return announcementOf(event, { name, rewards }, { entries, balance, streak, roles: [], receivedAt: now });
}

/** A vote of the sample member. @param votes counted votes with it @param denial why the service denies credits */
function vote(context: PreviewContext, { votes = votesBefore + 1, denial = null as string | null } = {}): Announcement {
  const { listing, kind, rewards, now } = context;
  const event = {
    ...({ family: 'vote', kind: voteKindOf(kind), target: { kind, id: null }, userId: ada, at: now } as const),
    ...{ creditsAwarded: null, denial },
  };
  const calendar = calendarOf(context);
  const today = calendar.dayAt(now);
  const outageDays = new Set<number>();
  let before = emptyHistory;
  for (let day = today - daysBefore; day < today; day += 1) before = addVote(before, listing, day, outageDays);
  const { entries, history } = decideVote({ ...before, votes: votes - 1 }, event, {
    ...{ listing, rewards, communityListings: [listing], calendar, at: now },
    ...{ withinCooldown: false, roles: new Set<string>(), outageDays },
  });
  const { days: streak } = streakOn(history, today, { forgive: rewards.streak?.forgive ?? 0, outageDays });
  return paid(context, event, { entries, streak });
}

function preview(
  { style, card, texts, buttons }: PreviewContext,
  subject: AnnouncementPreview['subject'],
  announcement: Announcement,
  votes = votesBefore + 1,
): AnnouncementPreview {
  const context = { style, card, texts, votes, voter: { name: 'ada', avatarUrl: picture }, icon: sampleIcon };
  return { subject, reply: renderStyledAnnouncement(announcement, context, buttons) };
}

export const votePreview = (context: PreviewContext): AnnouncementPreview => preview(context, 'vote', vote(context));

export const votePreviews: Preview = (context) => {
  const { style, rewards, now } = context;
  const isEach = style.mode === 'each';
  const { voterRole, milestones } = rewards;
  const milestone = nextMilestone(milestones, 0);
  const withRole = () => ({ ...vote(context), roles: [{ role: vip, until: now + (voterRole?.forMs ?? 0) }] });
  return [
    ...(isEach ? [votePreview(context)] : []),
    ...(isEach && voterRole !== null ? [preview(context, 'voteWithRole', withRole())] : []),
    ...(milestone !== null && (isEach || style.milestones)
      ? [preview(context, 'milestone', vote(context, milestone), milestone.votes)]
      : []),
    ...(isEach ? [preview(context, 'denied', vote(context, { denial: 'denied' }))] : []),
  ];
};

export const premiumPreview: Preview = (context) => {
  const { style, kind, rewards, now } = context;
  if (!style.premium) return [];
  const event = {
    ...({ family: 'premium', kind: 'premium_purchase', target: { kind, id: null }, userId: ada, at: now } as const),
    ...{ isRecipient: false, giftedBy: null, orderIds: [], tier: null, periodEnd: null, creditsAwarded: null },
  };
  const { entries } = decidePremium(event, { rewards, before: null, after: null });
  return [preview(context, 'premium', paid(context, event, { entries, streak: null }))];
};

export const testPreview: Preview = (context) => {
  const test = { kind: voteKindOf(context.kind), userId: ada };
  return [preview(context, 'test', testAnnouncementOf(test, { name: context.listing }, context.now))];
};
