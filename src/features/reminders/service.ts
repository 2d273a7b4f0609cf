import { commandMention } from '@tallyhook/platform/texts/markup';
import { accountIdOf, type CommunityId } from '../../core/ledger/account.ts';
import { namesOfTarget } from '../../core/tally/community.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import type { AnsweringContext, ListedLookup } from '../../discord/commands/command.ts';
import type { Reply } from '../../discord/commands/reply.ts';
import type { Lookup } from '../../lookup/lookup.ts';
import type { ServicesContext } from '../parts.ts';
import type {
  ChosenReminders,
  ListingOfCommunity,
  NextReminder,
  ReminderChoices,
  SnoozeResult,
  StoredReminders,
} from './store.ts';

const stopTexts = { direct_messages_closed: 'remind.directMessagesClosed' } as const;

/** The reminders of all communities. Each method rejects with the errors of the store. */
export type ReminderService = ReturnType<typeof createReminders>;
export type Reminders = ReturnType<ReminderService['covering']>;

/** @param findListing finds the listing with a name, or the one with the same target that is used instead */
export function createReminders(
  store: StoredReminders,
  findListing: (name: string) => CheckedListing | undefined,
  { clock, log }: Pick<ServicesContext, 'clock' | 'log'>,
) {
  /** Members who are to be informed. In memory, so that commands need not read the database for it. */
  let toInform: ReadonlySet<string> = new Set();

  /** @param channelIds the channels in which members of these communities are reminded who accept no direct messages */
  function covering(covered: readonly CheckedListing[], channelIds: readonly string[] = []) {
    const byCommunity = Map.groupBy(covered, ({ communityId }) => communityId);
    const find = (name: string) => covered.find((each) => each.name === name || each.names?.includes(name));
    const accountsOf = (userId: string) => [...byCommunity.keys()].map((id) => accountIdOf(id, userId));
    return {
      channelIds,
      /**
       * Switches the reminders of a member on: for all listings that were not switched off, or for the one that is chosen.
       * It asks the service when the next vote is due.
       */
      async switchOn(userId: string, chosen: ChosenReminders = {}): Promise<readonly NextReminder[]> {
        const next: NextReminder[] = [];
        const only = chosen.listing === undefined ? undefined : find(chosen.listing)?.communityId;
        for (const [communityId, listings] of byCommunity) {
          if (only !== undefined && communityId !== only) continue;
          const cooldowns = await Promise.all(
            listings.map(async (listing) => ({ ...plain(listing), nextVoteAt: await nextVoteAt(userId, listing) })),
          );
          next.push(...(await store.switchOn(accountIdOf(communityId, userId), cooldowns, clock.now(), chosen)));
        }
        return next;
      },
      /** Switches the reminders of one listing off. */
      async mute(userId: string, name: string): Promise<void> {
        const listing = find(name);
        if (listing === undefined) return;
        await store.mute(accountIdOf(listing.communityId, userId), plain(listing));
      },
      /** The member's choices, community by community. */
      async choicesOf(userId: string): Promise<readonly ReminderChoices[]> {
        return Promise.all(accountsOf(userId).map(async (accountId) => (await store.stateOf(accountId)).choices));
      },
      async switchOff(userId: string): Promise<void> {
        for (const accountId of accountsOf(userId)) await store.switchOff(accountId);
      },
      async isOn(userId: string): Promise<boolean> {
        for (const accountId of accountsOf(userId)) if (await store.isReminded(accountId)) return true;
        return false;
      },
      /**
       * Reminds again after a delay (ms): of a listing, and of what else in its community the member can vote for then.
       * `unknown`: the listing is not configured any more.
       */
      async snooze(
        userId: string,
        name: string,
        delayMs: number,
      ): Promise<SnoozeResult | { readonly outcome: 'unknown' }> {
        const listing = findListing(name);
        if (listing === undefined) return { outcome: 'unknown' };
        const now = clock.now();
        const { communityId } = listing;
        const others = (byCommunity.get(communityId) ?? []).filter((each) => each.name !== listing.name);
        const all = [listing, ...others].map(plain);
        return store.snooze(accountIdOf(communityId, userId), all, now + delayMs, now);
      },
    };
  }

  return {
    findListing,
    covering,
    /**
     * Stores that the member accepts no direct messages, to report it at the next command.
     * @param withChannel the communities in which reminders go on in a channel, if the member has chosen so
     */
    async directMessagesClosed(userId: string, withChannel: readonly CommunityId[]): Promise<void> {
      const reason = 'direct_messages_closed';
      if (!(await store.stop(userId, reason, clock.now(), withChannel))) return;
      toInform = new Set(toInform).add(userId);
      log.info({ user: userId, reason }, 'the reminders of a member were switched off');
    },
    /** Reads which members are to be informed, also by other processes. */
    async refreshNotices(): Promise<void> {
      toInform = new Set(await store.membersToInform());
    },
    /** A notice for the member, once: that the reminders were switched off. Null without one. */
    async noticeFor(
      userId: string,
      { commandId, texts }: Pick<AnsweringContext, 'commandId' | 'texts'>,
    ): Promise<Reply | null> {
      if (!toInform.has(userId)) return null;
      const reason = await store.takeStopReason(userId);
      toInform = new Set([...toInform].filter((other) => other !== userId));
      if (reason === null) return null;
      const text = texts.text(stopTexts[reason], { command: commandMention('remind', commandId('remind')) });
      return { tone: 'wait', title: texts.text('remind.titleOff'), text };
    },
  };
}

/** A listing without its client, which the thread that writes does not get. */
const plain = ({ name, cooldownMs, names = [name] }: CheckedListing) => ({ name, cooldownMs, names });

/** The end of the cooldown by the service; null if the member may vote, or the service does not say. */
async function nextVoteAt(userId: string, { lookup }: CheckedListing): Promise<number | null> {
  const status = await lookup?.voteStatus(userId).catch(() => null);
  return status?.value.nextVoteAt ?? null;
}

/** A listing whose votes are checked; `lookup` is null without an API key. */
export interface CheckedListing extends ListingOfCommunity {
  readonly lookup: Lookup | null;
}

export function listingToCheck(
  { name, rewards, community }: Pick<ListingContext, 'name' | 'rewards' | 'community'>,
  findLookup: (name: string) => ListedLookup | undefined,
): CheckedListing {
  return {
    name,
    cooldownMs: rewards.base.cooldownMs,
    names: namesOfTarget(community, name),
    lookup: findLookup(name)?.lookup ?? null,
    communityId: community.id,
  };
}
