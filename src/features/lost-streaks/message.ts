import { lines, memberName, subtext } from '@tallyhook/platform/texts/markup';
import { type ListingMessages, postAbout } from '../../core/announcements/listing-card.ts';
import { ada, grace, type Preview } from '../../core/announcements/preview.ts';
import type { Handle } from '../../core/outbox/perform.ts';
import type { Reply } from '../../discord/commands/reply.ts';
import type { Texts } from '../../texts/texts.ts';
import { announcedStreak } from './settings.ts';
import type { LostStreaks } from './store.ts';

/** Announces streaks that ended. */
export function createLostStreaksHandler(messages: ListingMessages): Handle<LostStreaks> {
  return (effect) =>
    postAbout(messages, effect, async ({ texts, buttons }) => {
      const lastDay = effect.content.until - 1;
      const { channelId, streaks } = effect.content;
      const ids = streaks.map(({ userId }) => userId);
      const departed = await messages.findDeparted({ channelId }, ids);
      const reply = { ...renderLostStreaks(effect.content, texts, departed), buttons, footer: texts.days(lastDay) };
      return { reply, footers: texts.languages.all().map(({ days }) => days(lastDay)) };
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
