import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import { createLoop } from '@tallyhook/platform/loop';
import { html } from '@tallyhook/platform/web/html';
import { Routes } from 'discord-api-types/v10';
import { z } from 'zod';
import { type ListingCard, listingName, readCard, voteLinks } from '../../core/announcements/announcement.ts';
import type { Reply } from '../../discord/commands/reply.ts';
import { actionId } from '../../discord/rendering/components.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import type { Texts } from '../../texts/texts.ts';
import type { CommunityListing } from '../communities/feature.ts';
import {
  type ConsoleCard,
  type FeatureParts,
  type FeatureServices,
  type PartsContext,
  type ServicesContext,
  sendMessage,
} from '../parts.ts';
import {
  type CheckedListing,
  createReminderDecision,
  createReminders,
  createVoteCheck,
  listingToCheck,
  type ReminderService,
} from './service.ts';
import { type ReminderNotice, reminderMessage, type StoredReminders } from './store.ts';

/** How often notices of other processes are read (ms). */
const noticesPollMs = 30 * second;

export function reminderCard(reminders: Pick<StoredReminders, 'summary'>, clock: Pick<Clock, 'now'>): ConsoleCard {
  return {
    id: 'reminders',
    title: ({ text }) => text('console.reminders.title'),
    async render({ texts: { number, text } }) {
      const { scheduled, dueSoon, stopped } = await reminders.summary(clock.now());
      return html`<dl class="sums"><div><dt>${text('console.reminders.scheduled')}</dt><dd>${number(scheduled)}</dd></div>
<div><dt>${text('console.reminders.dueSoon')}</dt><dd>${number(dueSoon)}</dd></div>
<div><dt>${text('console.reminders.closed')}</dt><dd>${number(stopped)}</dd></div></dl>
<p class="quiet">${text('console.reminders.hint')}</p>`;
    },
  };
}

export function createServices(context: ServicesContext & { readonly store: { readonly reminders: StoredReminders } }) {
  const { store, directory, lookups, clock, stopwatch, log } = context;
  const toCheck = (listing: CommunityListing) => listingToCheck(listing, lookups.find);
  function findListing(name: string): CheckedListing | undefined {
    const [first = name] = directory.namesOf(name);
    const listing = directory.find(first);
    return listing === undefined || listing.implied ? undefined : toCheck(listing);
  }
  const reminders = createReminders(store.reminders, findListing, context);
  const notices = createLoop({
    round: reminders.refreshNotices,
    pauseMs: noticesPollMs,
    onError: (error) => log.warn({ reason: messageOf(error) }, 'notices to members could not be read'),
    clock: stopwatch,
  });
  return {
    shared: { reminders },
    commandsIn: ({ communities }) => ({
      reminders: reminders.covering(communities.flatMap(({ named }) => named.map(toCheck))),
    }),
    noticeFor: reminders.noticeFor,
    loops: [notices],
    cards: [reminderCard(store.reminders, clock)],
  } satisfies FeatureServices;
}

export function create(
  context: PartsContext & {
    readonly store: { readonly reminders: StoredReminders };
    readonly reminders: Pick<ReminderService, 'findListing' | 'directMessagesClosed'>;
  },
) {
  const { reminders, rest, lookups, cardOf, metrics, clock } = context;
  const checked = metrics.counter({
    name: 'tallyhook_reminders_total',
    help: 'Reminders checked when due, by outcome (due, not_yet, unknown).',
    labels: ['outcome'],
    zero: [{ outcome: 'due' }, { outcome: 'not_yet' }, { outcome: 'unknown' }],
  });
  return {
    directMessages: [
      sendMessage(reminderMessage, {
        async render(reminder, texts) {
          const card = await readCard(cardOf, reminder.listing, clock);
          return renderReminder(reminder, card, texts);
        },
        isWanted: createReminderDecision(
          context,
          createVoteCheck(context.store.reminders.lastVote, lookups.keyStatus, clock),
          (outcome) => checked.inc({ outcome }),
        ),
        isIn: (channelId, reminder) => hasReminder(rest, channelId, reminder),
      }),
    ],
    onDirectMessagesClosed: reminders.directMessagesClosed,
  } satisfies FeatureParts;
}

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
