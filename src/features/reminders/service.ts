import type { Clock } from '@tallyhook/platform/clock';
import type { Log } from '@tallyhook/platform/log';
import { commandMention } from '@tallyhook/platform/texts/markup';
import { accountIdOf } from '../../core/ledger/account.ts';
import type { AnsweringContext } from '../../discord/commands/command.ts';
import type { Reply } from '../../discord/commands/reply.ts';
import type { CheckedListing } from './due.ts';
import type { NextReminder, SnoozeResult, StoredReminders } from './store.ts';

/** Why the bot has switched the reminders of a member off. */
const stopTexts = { direct_messages_closed: 'remind.directMessagesClosed' } as const;

/** Reminders of votes by direct message, for commands. Each method rejects with the errors of the store. */
export interface Reminders {
  /** Switches the reminders of a member on, for all listings. It asks the service when the next vote is due. */
  switchOn(userId: string): Promise<readonly NextReminder[]>;
  switchOff(userId: string): Promise<void>;
  isOn(userId: string): Promise<boolean>;
  /** Reminds of a listing again after a delay (ms). `unknown`: the listing is not configured any more. */
  snooze(userId: string, listing: string, delayMs: number): Promise<SnoozeResult | { readonly outcome: 'unknown' }>;
}

/** The reminders of all communities. */
export class ReminderService {
  readonly #store: StoredReminders;
  readonly #clock: Clock;
  readonly #log: Log;
  /** The listing with this name, or the one with the same target that is used instead. */
  readonly findListing: (name: string) => CheckedListing | undefined;
  /** Members who are to be informed. In memory, so that commands need not read the database for it. */
  #toInform: ReadonlySet<string> = new Set();

  constructor(options: {
    readonly store: StoredReminders;
    readonly findListing: (name: string) => CheckedListing | undefined;
    readonly clock: Clock;
    readonly log: Log;
  }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#log = options.log;
    this.findListing = options.findListing;
  }

  /** The reminders of these listings. */
  covering(covered: readonly CheckedListing[]): Reminders {
    const byCommunity = Map.groupBy(covered, ({ communityId }) => communityId);
    const accountsOf = (userId: string) => [...byCommunity.keys()].map((id) => accountIdOf(id, userId));
    return {
      switchOn: async (userId) => {
        const next: NextReminder[] = [];
        for (const [communityId, listings] of byCommunity) {
          const cooldowns = await Promise.all(
            listings.map(async (listing) => {
              const { name, cooldownMs, names = [name] } = listing;
              return { name, cooldownMs, names, nextVoteAt: await nextVoteAt(userId, listing) };
            }),
          );
          next.push(...(await this.#store.switchOn(accountIdOf(communityId, userId), cooldowns, this.#clock.now())));
        }
        return next;
      },
      switchOff: async (userId) => {
        for (const accountId of accountsOf(userId)) await this.#store.switchOff(accountId);
      },
      isOn: async (userId) => {
        for (const accountId of accountsOf(userId)) if (await this.#store.isReminded(accountId)) return true;
        return false;
      },
      snooze: async (userId, name, delayMs) => {
        const listing = this.findListing(name);
        if (listing === undefined) return { outcome: 'unknown' };
        const now = this.#clock.now();
        const { communityId, name: first, names = [first], cooldownMs } = listing;
        const reminded = { name: first, names, cooldownMs };
        return this.#store.snooze(accountIdOf(communityId, userId), reminded, now + delayMs, now);
      },
    };
  }

  /** Stores that the member accepts no direct messages, to report it at the next command. */
  async directMessagesClosed(userId: string): Promise<void> {
    await this.#store.stop(userId, 'direct_messages_closed', this.#clock.now());
    this.#toInform = new Set(this.#toInform).add(userId);
    this.#log.info({ user: userId, reason: 'direct_messages_closed' }, 'the reminders of a member were switched off');
  }

  /** Reads which members are to be informed, also by other processes. */
  async refreshNotices(): Promise<void> {
    this.#toInform = new Set(await this.#store.membersToInform());
  }

  /** What a member is informed of, once: that the reminders were switched off. Null for nothing. */
  async noticeFor(
    userId: string,
    { commandId, texts }: Pick<AnsweringContext, 'commandId' | 'texts'>,
  ): Promise<Reply | null> {
    if (!this.#toInform.has(userId)) return null;
    const reason = await this.#store.takeStopReason(userId);
    this.#toInform = new Set([...this.#toInform].filter((other) => other !== userId));
    if (reason === null) return null;
    const text = texts.text(stopTexts[reason], { command: commandMention('remind', commandId('remind')) });
    return { tone: 'wait', title: texts.text('remind.titleOff'), text };
  }
}

/** The end of the cooldown by the service; null if the member may vote, or the service does not say. */
async function nextVoteAt(userId: string, { lookup }: CheckedListing): Promise<number | null> {
  const status = await lookup?.voteStatus(userId).catch(() => null);
  return status?.value.nextVoteAt ?? null;
}
