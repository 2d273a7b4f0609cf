import type { Clock } from '@tallyhook/platform/clock';
import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import { createLoop } from '@tallyhook/platform/loop';
import { html } from '@tallyhook/platform/web/html';
import { readCard } from '../../core/announcements/listing-card.ts';
import type { CommunityListing } from '../communities/feature.ts';
import {
  type ConsoleCard,
  type FeatureParts,
  type FeatureServices,
  type PartsContext,
  type ServicesContext,
  sendMessage,
} from '../parts.ts';
import { type CheckedListing, createReminderDecision, createVoteCheck, listingToCheck } from './due.ts';
import { hasReminder, renderReminder } from './message.ts';
import { ReminderService } from './service.ts';
import { reminderMessage, type StoredReminders } from './store.ts';

/** How often notices of other processes are read (ms). */
const noticesPollMs = 30 * second;

/** How many reminders are scheduled. */
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
  const reminders = new ReminderService({
    store: store.reminders,
    findListing(name): CheckedListing | undefined {
      const [first = name] = directory.namesOf(name);
      const listing = directory.find(first);
      return listing === undefined || listing.implied ? undefined : toCheck(listing);
    },
    clock,
    log,
  });
  const notices = createLoop({
    round: () => reminders.refreshNotices(),
    pauseMs: noticesPollMs,
    onError: (error) => log.warn({ reason: messageOf(error) }, 'notices to members could not be read'),
    clock: stopwatch,
  });
  return {
    shared: { reminders },
    commandsIn: ({ communities }) => ({
      reminders: reminders.covering(communities.flatMap(({ named }) => named.map(toCheck))),
    }),
    noticeFor: (userId, noticed) => reminders.noticeFor(userId, noticed),
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
  const { reminders, config, rest, directory, lookups, cardOf, metrics, clock } = context;
  const store = context.store.reminders;
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
        isWanted: createReminderDecision({
          store,
          findListing: reminders.findListing,
          isEnabled: config.reminders,
          longestCooldownMs: () => Math.max(0, ...directory.listings.map(({ rewards }) => rewards.base.cooldownMs)),
          checkVote: createVoteCheck({ lastVote: store.lastVote, keyStatus: lookups.keyStatus, clock }),
          onChecked: (outcome) => checked.inc({ outcome }),
          clock,
        }),
        isIn: (channelId, reminder) => hasReminder(rest, channelId, reminder),
      }),
    ],
    onDirectMessagesClosed: (userId: string) => reminders.directMessagesClosed(userId),
  } satisfies FeatureParts;
}
