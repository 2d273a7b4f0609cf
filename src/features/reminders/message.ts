import { Routes } from 'discord-api-types/v10';
import { z } from 'zod';
import { type ListingCard, listingName, voteLinks } from '../../core/announcements/listing-card.ts';
import type { Reply } from '../../discord/commands/reply.ts';
import { actionId } from '../../discord/rendering/components.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import type { Texts } from '../../texts/texts.ts';
import type { ReminderNotice } from './store.ts';

/** Messages of the channel that are searched. A member gets a few per day. */
const searchedMessages = 50;

const messagesSchema = z.array(
  z.object({
    components: z.array(z.object({ components: z.array(z.object({ custom_id: z.string().optional() })).default([]) })),
  }),
);

/** A reminder, with buttons to vote, to be reminded again, and to stop reminders. */
export function renderReminder(reminder: ReminderNotice, card: ListingCard | null, { text }: Texts): Reply {
  const url = card?.url ?? null;
  return {
    tone: 'good',
    title: text('remind.messageTitle'),
    text: text('remind.message', { name: listingName(card, reminder.listing) }),
    ...(url === null ? {} : { url }),
    buttons: [
      ...voteLinks(card, text('canVote.voteButton')),
      { kind: 'action', ...snoozeTarget(reminder, 1), label: text('remind.snoozeButtons.1') },
      { kind: 'action', ...snoozeTarget(reminder, 6), label: text('remind.snoozeButtons.6') },
      { kind: 'action', command: 'remind', action: 'stop', label: text('remind.stopButton') },
    ],
  };
}

/**
 * Whether the channel contains the reminder; its buttons identify it. Throws what {@link DiscordRest} throws, and
 * ZodError for a response of another shape.
 */
export async function hasReminder(rest: DiscordRest, channelId: string, reminder: ReminderNotice): Promise<boolean> {
  const query = new URLSearchParams({ limit: String(searchedMessages) });
  const messages = messagesSchema.parse(await rest.get(Routes.channelMessages(channelId), query));
  const id = actionId(snoozeTarget(reminder, 1), null);
  return messages.some(({ components }) =>
    components.some((row) => row.components.some((component) => component.custom_id === id)),
  );
}

function snoozeTarget({ listing, dueAt }: ReminderNotice, hours: 1 | 6) {
  return { command: 'remind', action: 'snooze', options: { listing, hours, due: dueAt } } as const;
}
