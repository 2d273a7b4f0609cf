import type { Clock } from '@tallyhook/platform/clock';
import { minute } from '@tallyhook/platform/durations';
import type { Log } from '@tallyhook/platform/log';
import { commandMention } from '@tallyhook/platform/texts/markup';
import { accountIdOf } from '../../core/ledger/account.ts';
import type { Effect } from '../../core/outbox/effect.ts';
import type { DirectMessage } from '../../core/outbox/effect-contents.ts';
import type { AnsweringContext } from '../../discord/commands/command.ts';
import type { Reply } from '../../discord/commands/reply.ts';
import type { ReminderNotice } from './effects.ts';
import type { NextReminder, Reminders } from './reminder.ts';
import type { StoredReminders } from './store.ts';
import type { CheckedListing } from './vote-check.ts';

/** Why the bot has switched the reminders of a member off. */
const stopTexts = { direct_messages_closed: 'remind.directMessagesClosed' } as const;

/** A message that waited longer, for example while Discord was down, is checked again before it is sent (ms). */
const maxMessageAgeMs = 10 * minute;

/** Reminders for commands and for the outbox. Methods reject with the errors of the store. */
export interface ReminderService extends Reminders {
  /** The listing with this name, or the one with the same target that is used instead. */
  readonly findListing: (name: string) => CheckedListing | undefined;
  /** Whether a message is still to be sent: the member may have voted since, or want no more messages. */
  isStillWanted(message: ReminderNotice, effect: Effect<DirectMessage>): Promise<boolean>;
  /** Stores that the member accepts no direct messages, to report it at the next command. */
  directMessagesClosed(userId: string): Promise<void>;
  covering(listings: readonly CheckedListing[]): Reminders;
  /** What a member is informed of, once: that the reminders were switched off. Null for nothing. */
  noticeFor(userId: string, context: Pick<AnsweringContext, 'commandId' | 'texts'>): Promise<Reply | null>;
  /** Reads which members are to be informed, also by other processes. */
  refreshNotices(): Promise<void>;
}

export function createReminderService(options: {
  readonly store: StoredReminders;
  /** The listings that members are reminded of, of all communities. */
  readonly listings: () => readonly CheckedListing[];
  /** The one with this name, or the one with the same target that is used instead. */
  readonly findListing: (name: string) => CheckedListing | undefined;
  /** Whether reminders are offered; otherwise none is sent. */
  readonly isEnabled: boolean;
  readonly clock: Clock;
  readonly log: Log;
}): ReminderService {
  const { store, listings, findListing, isEnabled, clock, log } = options;
  /** In memory, so that commands need not read the database for it. */
  let untold: ReadonlySet<string> = new Set();

  /** The end of the cooldown by the service; null if the member may vote, or the service does not say. */
  async function nextVoteAt(userId: string, { lookup }: CheckedListing): Promise<number | null> {
    const status = await lookup?.voteStatus(userId).catch(() => null);
    return status?.value.nextVoteAt ?? null;
  }

  const byAccounts = (covered: readonly CheckedListing[]) => Map.groupBy(covered, ({ communityId }) => communityId);

  async function switchOn(userId: string, covered: readonly CheckedListing[]): Promise<readonly NextReminder[]> {
    const next: NextReminder[] = [];
    for (const [accounts, ofCommunity] of byAccounts(covered)) {
      const cooldowns = await Promise.all(
        ofCommunity.map(async (listing) => {
          const { name, cooldownMs, names = [name] } = listing;
          return { name, cooldownMs, names, nextVoteAt: await nextVoteAt(userId, listing) };
        }),
      );
      next.push(...(await store.switchOn(accountIdOf(accounts, userId), cooldowns, clock.now())));
    }
    return next;
  }

  async function switchOff(userId: string, covered: readonly CheckedListing[]): Promise<void> {
    const isOnly = byAccounts(listings()).size <= 1;
    for (const [accounts, ofCommunity] of byAccounts(covered)) {
      const names = ofCommunity.flatMap(({ name, names = [name] }) => names);
      // Also of listings that are not configured any more.
      await store.switchOff(accountIdOf(accounts, userId), isOnly ? null : names);
    }
  }

  async function isOn(userId: string, covered: readonly CheckedListing[]): Promise<boolean> {
    for (const accounts of byAccounts(covered).keys()) {
      if (await store.isReminded(accountIdOf(accounts, userId))) return true;
    }
    return false;
  }

  const snooze: Reminders['snooze'] = async (userId, listingName, delayMs) => {
    const listing = findListing(listingName);
    if (listing === undefined) return { outcome: 'unknown' };
    const now = clock.now();
    const { communityId, name, names = [name], cooldownMs } = listing;
    return store.snooze(accountIdOf(communityId, userId), { name, names, cooldownMs }, now + delayMs, now);
  };

  return {
    switchOn: (userId) => switchOn(userId, listings()),
    switchOff: (userId) => switchOff(userId, listings()),
    isOn: (userId) => isOn(userId, listings()),
    snooze,
    covering: (covered) => ({
      switchOn: (userId) => switchOn(userId, covered),
      switchOff: (userId) => switchOff(userId, covered),
      isOn: (userId) => isOn(userId, covered),
      snooze,
    }),

    findListing,

    async isStillWanted(message, { content: { userId }, createdAt, possiblySentSince }) {
      const reminder = { userId, listing: message.listing, dueAt: message.dueAt };
      const listing = findListing(message.listing);
      if (!isEnabled || listing === undefined) return false;
      if (!(await store.isCurrent(reminder, listing))) return false;
      if (possiblySentSince !== null || clock.now() - createdAt <= maxMessageAgeMs) return true;
      await store.restore(reminder);
      return false;
    },

    async directMessagesClosed(userId) {
      await store.stop(userId, 'direct_messages_closed', clock.now());
      untold = new Set(untold).add(userId);
      log.info({ user: userId, reason: 'direct_messages_closed' }, 'the reminders of a member were switched off');
    },

    async refreshNotices() {
      untold = new Set(await store.membersToInform());
    },

    async noticeFor(userId, { commandId, texts }) {
      if (!untold.has(userId)) return null;
      const reason = await store.takeStopReason(userId);
      untold = new Set([...untold].filter((other) => other !== userId));
      if (reason === null) return null;
      const text = texts.text(stopTexts[reason], { command: commandMention('remind', commandId('remind')) });
      return { tone: 'wait', title: texts.text('remind.titleOff'), text };
    },
  };
}
