import type { CommunityId, LedgerReads } from '../../core/ledger/account.ts';
import { type ResolvableListing, withoutSecrets } from '../../core/receiving/listing.ts';
import { toleranceMs } from '../../core/rewards/reward.ts';
import { namesOfTarget } from '../../core/tally/community.ts';
import { type ClaimRecorder, type ClaimResult, maxClaimAgeMs } from '../../core/tally/recorder.ts';
import type { VoteStatus } from '../../lookup/lookup.ts';
import type { GuardServices } from '../guards/feature.ts';
import type { FeatureServices, ServicesContext } from '../parts.ts';

interface ClaimContext extends Pick<ServicesContext, 'clock' | 'log'> {
  readonly store: { readonly ledgerIn: (communityId: CommunityId) => Pick<LedgerReads, 'lastVoteAt'> };
  readonly claimRecorder: ClaimRecorder;
  readonly guards: GuardServices;
  readonly compareTargets: (listing: string) => Promise<void>;
  readonly directory: { readonly find: (name: string) => ResolvableListing | undefined };
  readonly lookups: Pick<ServicesContext['lookups'], 'find' | 'findSite'>;
}

/** Claims of votes. While the cooldown of a recorded vote runs, the service is not asked. */
export function createClaims(context: ClaimContext) {
  const { store, claimRecorder, guards, compareTargets, directory, lookups, clock, log } = context;
  return {
    /** Asks the service for the last vote, and records it if it is new. Rejects with LookupError too. */
    async claim(name: string, userId: string): Promise<ClaimOutcome> {
      await compareTargets(name);
      const listing = directory.find(name);
      const { lookup, site, isSilent } = lookups.find(name) ?? {};
      if (listing === undefined || lookup === undefined)
        throw new Error(`There is no listing "${name}" with an API key.`);
      const { cooldownMs } = listing.rewards.base;
      const now = clock.now();
      const ledger = store.ledgerIn(listing.community.id);
      const recordedAt = await ledger.lastVoteAt(userId, namesOfTarget(listing.community, name));
      const isRunning = recordedAt !== null && Math.abs(now - recordedAt) < cooldownMs - toleranceMs;
      if (!isRunning && isSilent) return { type: 'siteSilent', site: site?.name ?? name };
      const status = isRunning ? null : (await lookup.voteStatus(userId, { fresh: true })).value;
      const at = status === null ? recordedAt : timeOfVote(status, cooldownMs);
      if (at === null || at > now + toleranceMs) return { type: status?.canVote ? 'noVote' : 'unknownTime' };
      if (at < now - maxClaimAgeMs) return { type: 'tooOld', at, since: now - maxClaimAgeMs };
      const vote = await lookups.findSite(name)?.known(userId);
      const atSite = vote?.at === at ? { atSite: { weight: vote.weight, nextVoteAt: vote.nextVoteAt } } : {};
      const isMember = await guards.confirmMember(listing, userId);
      const result = await claimRecorder.recordClaim({ userId, at, ...atSite, isMember }, withoutSecrets(listing), now);
      if (result.outcome === 'claimed') {
        const { credits, balance } = result;
        log.info({ user: userId, listing: name, credits, balance }, 'recorded a claimed vote');
      }
      // A refused vote is not in the ledger either, and its member does not learn why.
      if (result.outcome === 'forgotten' && (await guards.hasRefused(listing, userId))) return { type: 'noVote' };
      return outcomeOf(result, at);
    },
  };
}

export function createServices(
  context: ServicesContext & Pick<ClaimContext, 'store' | 'claimRecorder' | 'guards' | 'compareTargets'>,
) {
  return { commands: { claims: createClaims(context) } } satisfies FeatureServices;
}

/** The time of the vote that the service reports (ms since the epoch); null for none, or if it is unknown. */
function timeOfVote({ canVote, lastVoteAt, nextVoteAt }: VoteStatus, cooldownMs: number): number | null {
  if (lastVoteAt !== null) return lastVoteAt;
  return canVote || nextVoteAt === null ? null : nextVoteAt - cooldownMs;
}

function outcomeOf(result: ClaimResult, at: number): ClaimOutcome {
  switch (result.outcome) {
    case 'claimed':
      return { type: 'claimed', at, credits: result.credits, balance: result.balance };
    case 'forgotten':
      return { type: 'forgotten' };
    // As to anybody whose vote is not there: members do not learn of a block.
    case 'refused':
      return { type: 'noVote' };
    case 'recorded': {
      const { at: recordedAt, cause, credits, reason } = result;
      if (Math.abs(recordedAt - at) > toleranceMs) return { type: 'withinCooldown', at, recordedAt };
      const how = cause === 'denied' ? 'denied' : cause === 'claim' ? 'claimed' : 'paid';
      return { type: 'recorded', at: recordedAt, how, credits, reason };
    }
  }
}

export type Claims = ReturnType<typeof createClaims>;

export type ClaimOutcome =
  /** `credits`: all that the vote earned; `balance`: with them. */
  | { readonly type: 'claimed'; readonly at: number; readonly credits: number; readonly balance: number }
  /** The vote was recorded before. `denied`: the service denied its credits, with the service's `reason`. */
  | {
      readonly type: 'recorded';
      readonly at: number;
      readonly how: 'paid' | 'denied' | 'claimed';
      readonly credits: number;
      /** External text. */
      readonly reason: string | null;
    }
  /** The vote of `at` was too soon after, or before, a recorded one of `recordedAt`. */
  | { readonly type: 'withinCooldown'; readonly at: number; readonly recordedAt: number }
  /** The vote was paid to an account that was deleted on request of the member. */
  | { readonly type: 'forgotten' }
  | { readonly type: 'noVote' }
  /** The last vote is too old: only votes since `since` can be claimed. */
  | { readonly type: 'tooOld'; readonly at: number; readonly since: number }
  /** The service reports a running cooldown, but no time. */
  | { readonly type: 'unknownTime' }
  /** The site of the listing, by its name, does not say whether the member has voted. */
  | { readonly type: 'siteSilent'; readonly site: string };
