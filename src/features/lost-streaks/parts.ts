import { minute } from '@tallyhook/platform/durations';
import { lines, memberName, subtext } from '@tallyhook/platform/texts/markup';
import {
  ada,
  footerOf,
  grace,
  type ListingMessages,
  type Preview,
  postAbout,
} from '../../core/announcements/announcement.ts';
import { type Handle, handle } from '../../core/outbox/perform.ts';
import { calendarOf } from '../../core/tally/community.ts';
import type { Reply } from '../../discord/commands/reply.ts';
import type { Texts } from '../../texts/texts.ts';
import type { CommunityListing } from '../communities/feature.ts';
import type { AnnouncementTask, FeatureParts, PartsContext } from '../parts.ts';
import { announcedStreak } from './settings.ts';
import { type LostStreakStore, type LostStreaks, lostStreaksKind } from './store.ts';

/** A vote of the last minutes of a day can be delivered after it (ms). */
const settleMs = 3 * minute;
/** After a longer downtime, the streaks that ended before are not announced (days). */
const maxDays = 2;
const maxStreaks = 20;

/**
 * Announces after each day which streaks it has ended. Streaks count the votes on all listings of the community, so one
 * of these announces them.
 */
export function createLostStreaksTask(
  { name: listing, announceChannelId: channelId, timeZone, rewards, announcements, community }: CommunityListing,
  { store: { lostStreaks: store, upkeep }, clock }: Pick<LostStreaksContext, 'store' | 'clock'>,
): AnnouncementTask['run'] {
  const communityId = community.id;
  const calendar = calendarOf({ timeZone });
  const key = String(communityId);
  const minDays = announcedStreak.in(announcements);
  return async () => {
    if (channelId === null || minDays === null) return null;
    const now = clock.now();
    const until = calendar.dayAt(now - settleMs);
    const checkedUntil = await store.checkedUntil(key);
    if (checkedUntil !== null && checkedUntil >= until && checkedUntil <= until + 1) return null;
    // Without an earlier check, or after one by a clock that was ahead, the next day is the first.
    const from = checkedUntil === null || checkedUntil > until ? until : Math.max(checkedUntil, until - maxDays);
    // An outage forgives missed days.
    await upkeep.beat(now);
    const query = { communityId, from, until, minDays, timeZone };
    const lost = from < until ? await store.find({ ...query, forgive: rewards.streak?.forgive ?? 0 }) : [];
    const streaks = lost.slice(0, maxStreaks);
    return store.plan(
      { communityId, listing, channelId, checkedUntil, until, streaks, more: lost.length - streaks.length },
      now,
    );
  };
}

interface LostStreaksContext extends PartsContext {
  readonly store: { readonly lostStreaks: LostStreakStore; readonly upkeep: { beat(now: number): Promise<void> } };
}

export function create(context: LostStreaksContext) {
  return {
    effects: [handle(lostStreaksKind, createLostStreaksHandler(context))],
    tasks({ named }) {
      const isAnnounced = (listing: (typeof named)[number]) =>
        listing.announceChannelId !== null && announcedStreak.in(listing.announcements) !== null;
      // The streaks of a community are announced once.
      return named
        .filter(isAnnounced)
        .slice(0, 1)
        .map((listing) => ({ name: 'lost streaks', run: createLostStreaksTask(listing, context) }));
    },
  } satisfies FeatureParts;
}

export function createLostStreaksHandler(messages: ListingMessages): Handle<LostStreaks> {
  return (effect) =>
    postAbout(messages, effect, async ({ texts, buttons }) => {
      const { channelId, streaks, until } = effect.content;
      const ids = streaks.map(({ userId }) => userId);
      const departed = await messages.findDeparted({ channelId }, ids);
      const { footer, footers } = footerOf([until - 1], texts);
      return { reply: { ...renderLostStreaks(effect.content, texts, departed), buttons, footer }, footers };
    });
}

function renderLostStreaks(
  { streaks, more }: Pick<LostStreaks, 'streaks' | 'more'>,
  texts: Texts,
  departed: ReadonlyMap<string, string> = new Map(),
): Reply {
  const { text } = texts;
  return {
    tone: 'wait',
    title: text('lostStreaks.title'),
    text: lines(
      ...streaks.map(({ userId, days }) =>
        text('lostStreaks.streak', { user: memberName(userId, departed), days: text('parts.days', { count: days }) }),
      ),
      more > 0 ? text('lostStreaks.more', { count: more }) : null,
      subtext(text('lostStreaks.hint')),
    ),
  };
}

export const lostStreaksPreview: Preview = ({ style, texts }) => {
  const days = announcedStreak.in(style);
  if (days === null) return [];
  const streaks = [ada, grace].map((userId) => ({ userId, days }));
  return [{ subject: 'lostStreaks', reply: renderLostStreaks({ streaks, more: 0 }, texts) }];
};
