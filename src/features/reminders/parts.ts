import { listingName, readCard } from '../../core/announcements/listing-card.ts';
import type { AccountScope } from '../../core/ledger/account-id.ts';
import { type LedgerReads, lastVoteAt } from '../../core/ledger/ledger.ts';
import type { Texts } from '../../texts/texts.ts';
import type { FeatureParts, PartsContext } from '../parts.ts';
import type { ReminderNotice } from './effects.ts';
import { createReminderLoop } from './loop.ts';
import { hasReminder, renderReminder } from './message.ts';
import type { ReminderService } from './service.ts';
import type { StoredReminders } from './store.ts';
import { createVoteCheck } from './vote-check.ts';

export function create({
  store,
  reminders,
  config,
  rest,
  directory,
  lookups,
  cardOf,
  nudge,
  metrics,
  clock,
  log,
}: PartsContext & {
  readonly store: {
    readonly reminders: StoredReminders;
    readonly ledgerIn: (accounts: AccountScope) => LedgerReads;
  };
  readonly reminders: Pick<ReminderService, 'findListing' | 'isStillWanted' | 'refreshNotices'>;
}) {
  const loop = createReminderLoop({
    ...{ reminders: store.reminders, findListing: reminders.findListing, clock, log },
    onPoll: reminders.refreshNotices,
    longestCooldownMs: () => Math.max(0, ...directory.listings.map(({ rewards }) => rewards.base.cooldownMs)),
    createCheck: () =>
      createVoteCheck({
        lastVoteAt: (userId, { name, names = [name], accounts }) => lastVoteAt(store.ledgerIn(accounts), userId, names),
        ...{ keyStatus: lookups.keyStatus, clock },
      }),
    onChecked: (outcome) => metrics.reminders.inc({ outcome }),
    onEnqueued: (queue) => nudge([queue]),
  });
  return {
    directMessages: {
      reminder: {
        async render(reminder: ReminderNotice, texts: Texts) {
          const card = await readCard(cardOf, reminder.listing, clock);
          return renderReminder(reminder, { name: listingName(card, reminder.listing), url: card?.url ?? null }, texts);
        },
        isWanted: reminders.isStillWanted,
        isIn: (channelId, reminder) => hasReminder(rest, channelId, reminder),
      },
    },
    loops: config.reminders ? [loop] : [],
  } satisfies FeatureParts;
}
