import { parseJson } from '@tallyhook/platform/json';
import { isCountedVote } from '../../core/ledger/entry.ts';
import type { VoteHistory } from '../../core/rewards/history.ts';
import { type EarnedEntry, type PastVote, type ReplayContext, replayVotes } from '../../core/rewards/replay-votes.ts';
import type { MemberEntry } from '../../core/store/member-ledgers.ts';
import { readPayload } from '../../webhook/payload.ts';

/** What a member did that rules pay for. */
export interface PastEvents {
  readonly votes: readonly PastVote[];
  /** Purchases and renewals at the service. */
  readonly premiums: readonly Omit<PastVote, 'isDenied'>[];
}

export function pastEventsOf(entries: readonly MemberEntry[]): PastEvents {
  const toEvent = (entry: MemberEntry) => ({ listing: entry.listing, at: entry.at, awarded: awardedIn(entry) });
  return {
    votes: entries
      .filter(({ cause }) => isCountedVote(cause))
      .map((entry) => ({ ...toEvent(entry), isDenied: entry.cause === 'denied' })),
    premiums: entries.filter(({ cause }) => cause === 'premium').map(toEvent),
  };
}

/**
 * What a member would have been paid. Premium pays the number of its delivery, or else that of the rules.
 * @param earlier as of {@link replayVotes}
 */
export function simulateEntries(
  userId: string,
  { votes, premiums }: PastEvents,
  context: ReplayContext,
  earlier: VoteHistory,
): readonly EarnedEntry[] {
  const premiumEntries = premiums.map(({ listing, at, awarded }) => {
    return { credits: awarded ?? context.listingOf(listing).rewards.base.perPremium, at };
  });
  return [...replayVotes(userId, votes, context, earlier), ...premiumEntries];
}

/**
 * The number of credits that a delivery contained; null if there was none. If its body was pruned, what was paid for it
 * counts as that.
 */
function awardedIn({ body, family, credits }: Pick<MemberEntry, 'body' | 'family' | 'credits'>): number | null {
  if (body === null) return null;
  if (body === '') return credits;
  const context = {
    premiumPath: family === 'premium',
    now: Number.MAX_SAFE_INTEGER,
    defaultVote: 'server_vote',
  } as const;
  const payload = readPayload(parseJson(body), context);
  if (payload.type !== 'event') return null;
  const { creditsAwarded } = payload.event;
  return typeof creditsAwarded === 'number' ? creditsAwarded : null;
}
