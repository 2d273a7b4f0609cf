import type { Clock } from '@tallyhook/platform/clock';
import { minute, second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import { createLoop } from '@tallyhook/platform/loop';
import { lines, type Markup, markup, timestamp } from '@tallyhook/platform/texts/markup';
import { plainName } from '@tallyhook/platform/truncate';
import { html } from '@tallyhook/platform/web/html';
import { Routes } from 'discord-api-types/v10';
import { z } from 'zod';
import { type ListingCard, listingName, readCard, siteName, voteLinks } from '../../core/announcements/announcement.ts';
import type { Reply, ReplyButton } from '../../discord/commands/reply.ts';
import { actionId } from '../../discord/rendering/components.ts';
import type { DiscordRest } from '../../discord/rest.ts';
import type { Texts } from '../../texts/texts.ts';
import type { Community, CommunityListing } from '../communities/feature.ts';
import {
  type ConsoleCard,
  type FeatureParts,
  type FeatureServices,
  type PartsContext,
  type ServicesContext,
  sendMessage,
} from '../parts.ts';
import { createReminderPreparation, createVoteCheck, reminderChannelOf } from './due.ts';
import { type CheckedListing, createReminders, listingToCheck, type ReminderService } from './service.ts';
import { noticesOf, type ReminderNotice, reminderMessage, type StoredReminders } from './store.ts';

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
  const remindersIn = (communities: readonly Community[]) =>
    reminders.covering(
      communities.flatMap(({ named }) => named.map(toCheck)),
      communities.flatMap((each) => reminderChannelOf(each) ?? []),
    );
  return {
    shared: { reminders, remindersIn },
    commandsIn: ({ communities }) => ({ reminders: remindersIn(communities) }),
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
  const { reminders, rest, lookups, directory, cardOf, metrics, clock } = context;
  const checked = metrics.counter({
    name: 'tallyhook_reminders_total',
    help: 'Reminders checked when due, by outcome (due, not_yet, unknown).',
    labels: ['outcome'],
    zero: [{ outcome: 'due' }, { outcome: 'not_yet' }, { outcome: 'unknown' }],
  });
  return {
    directMessages: [
      sendMessage(reminderMessage, {
        async render(reminder, texts, isPublic) {
          const cards = noticesOf(reminder).map(async (notice): Promise<NoticeCard> => {
            return { notice, card: await readCard(cardOf, notice.listing, clock) };
          });
          return renderReminder(reminder, await Promise.all(cards), { texts, isPublic, now: clock.now() });
        },
        prepare: createReminderPreparation(
          context,
          createVoteCheck(context.store.reminders.lastVote, lookups.keyStatus, clock),
          (outcome) => checked.inc({ outcome }),
        ),
        isIn: (channelId, reminder) => hasReminder(rest, channelId, reminder),
      }),
    ],
    onDirectMessagesClosed: (userId) =>
      reminders.directMessagesClosed(
        userId,
        directory.communities.filter((each) => reminderChannelOf(each) !== null).map(({ id }) => id),
      ),
  } satisfies FeatureParts;
}

/** Messages of the channel that are searched. A member gets a few per day. */
const searchedMessages = 50;

const messagesSchema = z.array(
  z.object({
    components: z.array(z.object({ components: z.array(z.object({ custom_id: z.string().optional() })).default([]) })),
  }),
);

/** A listing of a reminder, and what is known of it. */
export interface NoticeCard {
  readonly notice: ReminderNotice;
  readonly card: ListingCard | null;
}

/** Links of one message: four of Discord's five rows. The others lead to a list of all listings. */
const maxLinks = 20;

/** A reminder, with buttons to vote, to be reminded again, and to stop reminders. In public only those to vote. */
export function renderReminder(
  reminder: ReminderNotice,
  cards: readonly NoticeCard[],
  { texts, isPublic, now }: { readonly texts: Texts; readonly isPublic: boolean; readonly now: number },
): Reply {
  const { text } = texts;
  const due = cards.filter(({ notice }) => notice.dueAt <= now);
  const soon = Map.groupBy(
    cards.filter(({ notice }) => notice.dueAt > now),
    ({ notice }) => Math.floor(notice.dueAt / minute),
  );
  const named = (listed: readonly NoticeCard[]) => texts.list(listed.map(nameOf));
  const [only] = cards.length === 1 ? cards : [];
  const url = only?.card?.url ?? null;
  const reply = {
    tone: 'good',
    title: text('remind.messageTitle'),
    text: lines(
      due.length === 0 ? null : text(due.length === 1 ? 'remind.message' : 'remind.messages', { name: named(due) }),
      ...[...soon.values()].map((listed) =>
        text('remind.messageSoon', { name: named(listed), time: timestamp(listed[0]?.notice.dueAt ?? now, 't') }),
      ),
    ),
    ...(url === null ? {} : { url }),
  } as const;
  const links = linksTo(cards, texts);
  if (isPublic) return { ...reply, buttons: links };
  return {
    ...reply,
    buttons: [
      ...links,
      { kind: 'action', ...snoozeTarget(reminder, 1), label: text('remind.snoozeButtons.1'), beginsRow: true },
      { kind: 'action', ...snoozeTarget(reminder, 6), label: text('remind.snoozeButtons.6') },
      { kind: 'action', command: 'remind', action: 'stop', label: text('remind.stopButton') },
    ],
  };
}

/** The name of a listing, with its site unless the name contains it. */
function nameOf({ notice, card }: NoticeCard): Markup {
  const name = listingName(card, notice.listing);
  return card?.site === undefined || name.includes(card.site) ? name : markup`${name} (${siteName(card)})`;
}

function linksTo(cards: readonly NoticeCard[], { text }: Texts): readonly ReplyButton[] {
  const vote = text('canVote.voteButton');
  const listed = cards.flatMap(({ card }) => (card?.list ? voteLinks(card, vote) : [])).slice(0, 1);
  const links = cards.flatMap(({ notice, card }): ReplyButton[] => {
    if (!card?.url) return [];
    const { site, url } = card;
    const isOnly = cards.filter((each) => each.card?.site === site).length === 1;
    const label =
      cards.length === 1
        ? vote
        : site !== undefined && isOnly
          ? text('canVote.voteOn', { site })
          : text('canVote.voteFor', { name: plainName(card.name ?? notice.listing) });
    return [{ kind: 'link', label, url }];
  });
  if (links.length === cards.length && links.length <= maxLinks) return links;
  // What has no page of its own, or no room, is in the list of all.
  return [...links.slice(0, maxLinks - 1), ...listed];
}

/**
 * True if the channel contains the reminder; its buttons identify it. Throws what {@link DiscordRest} throws, and
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
