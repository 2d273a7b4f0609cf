import { second } from '@tallyhook/platform/durations';
import { messageOf } from '@tallyhook/platform/errors';
import { createLoop } from '@tallyhook/platform/loop';
import { readCard } from '../../core/announcements/listing-card.ts';
import type { CommunityListing } from '../communities/feature.ts';
import {
  type FeatureParts,
  type FeatureServices,
  type PartsContext,
  type ServicesContext,
  sendMessage,
} from '../parts.ts';
import { reminderCard } from './card.ts';
import { reminderMessage } from './effects.ts';
import { createReminderLoop } from './loop.ts';
import { hasReminder, renderReminder } from './message.ts';
import { createReminderService, type ReminderService } from './service.ts';
import type { StoredReminders } from './store.ts';
import { type CheckedListing, createVoteCheck, listingToCheck } from './vote-check.ts';

/** How often notices of other processes are read (ms). */
const noticesPollMs = 30 * second;

export function createServices(context: ServicesContext & { readonly store: { readonly reminders: StoredReminders } }) {
  const { store, config, directory, lookups, clock, stopwatch, log } = context;
  const toCheck = (listing: CommunityListing) => listingToCheck(listing, lookups.find);
  const reminders = createReminderService({
    ...context,
    store: store.reminders,
    listings: () => directory.communities.flatMap(({ named }) => named.map(toCheck)),
    findListing(name): CheckedListing | undefined {
      const [first = name] = directory.namesOf(name);
      const listing = directory.find(first);
      return listing === undefined || listing.implied ? undefined : toCheck(listing);
    },
    isEnabled: config.reminders,
  });
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
    readonly reminders: Pick<ReminderService, 'findListing' | 'isStillWanted' | 'directMessagesClosed'>;
  },
) {
  const { store, reminders, config, rest, directory, lookups, cardOf, nudge, metrics, clock } = context;
  const checked = metrics.counter({
    name: 'tallyhook_reminders_total',
    help: 'Reminders checked when due, by outcome (due, not_yet, unknown).',
    labels: ['outcome'],
    zero: [{ outcome: 'due' }, { outcome: 'not_yet' }, { outcome: 'unknown' }],
  });
  const loop = createReminderLoop({
    ...context,
    reminders: store.reminders,
    findListing: reminders.findListing,
    longestCooldownMs: () => Math.max(0, ...directory.listings.map(({ rewards }) => rewards.base.cooldownMs)),
    createCheck: () => createVoteCheck({ lastVote: store.reminders.lastVote, keyStatus: lookups.keyStatus, clock }),
    onChecked: (outcome) => checked.inc({ outcome }),
    onEnqueued: (queue) => nudge([queue]),
  });
  return {
    directMessages: [
      sendMessage(reminderMessage, {
        async render(reminder, texts) {
          const card = await readCard(cardOf, reminder.listing, clock);
          return renderReminder(reminder, card, texts);
        },
        isWanted: reminders.isStillWanted,
        isIn: (channelId, reminder) => hasReminder(rest, channelId, reminder),
      }),
    ],
    loops: config.reminders ? [loop] : [],
    onDirectMessagesClosed: reminders.directMessagesClosed,
  } satisfies FeatureParts;
}
