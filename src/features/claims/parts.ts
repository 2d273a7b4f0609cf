import type { Clock } from '@tallyhook/platform/clock';
import type { Log } from '@tallyhook/platform/log';
import type { CommunityId, LedgerReads } from '../../core/ledger/account.ts';
import { toleranceMs } from '../../core/rewards/reward.ts';
import { namesOfTarget } from '../../core/tally/community.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import { type ClaimRecorder, type ClaimResult, maxClaimAgeMs } from '../../core/tally/recorder.ts';
import type { ListedLookup } from '../../discord/commands/command.ts';
import type { VoteStatus } from '../../lookup/schemas.ts';
import type { SiteClient } from '../../lookup/sites/site-client.ts';
import type { FeatureServices, ServicesContext } from '../parts.ts';
import type { ClaimOutcome, Claims } from './claims.ts';

/**
 * Claims of votes. While the cooldown of a recorded vote runs, there is no other vote to claim, so the service is not
 * asked.
 */
export function createClaims(options: {
  readonly findListing: (name: string) => ListingContext | undefined;
  /** Finds out which other listings have the target of this one, before their votes are compared. Never rejects. */
  readonly compareTargets?: (listing: string) => Promise<void>;
  readonly findLookup: (name: string) => Pick<ListedLookup, 'lookup' | 'site' | 'isSilent'> | undefined;
  /** Null for a listing on the service, and for one whose site does not say who has voted. */
  readonly findSite: (name: string) => Pick<SiteClient, 'known'> | null;
  readonly ledgerIn: (communityId: CommunityId) => Pick<LedgerReads, 'lastVoteAt'>;
  readonly recorder: ClaimRecorder;
  readonly clock: Clock;
  readonly log: Log;
}): Claims {
  const { findListing, compareTargets, findLookup, findSite, ledgerIn, recorder, clock, log } = options;
  return {
    async claim(name, userId) {
      await compareTargets?.(name);
      const listing = findListing(name);
      const { lookup, site, isSilent } = findLookup(name) ?? {};
      if (listing === undefined || lookup === undefined)
        throw new Error(`There is no listing "${name}" with an API key.`);
      const { cooldownMs } = listing.rewards.base;
      const now = clock.now();
      const ledger = ledgerIn(listing.community.id);
      const recordedAt = await ledger.lastVoteAt(userId, namesOfTarget(listing.community, name));
      const isRunning = recordedAt !== null && Math.abs(now - recordedAt) < cooldownMs - toleranceMs;
      if (!isRunning && isSilent) return { type: 'siteSilent', site: site?.name ?? name };
      const status = isRunning ? null : (await lookup.voteStatus(userId, { fresh: true })).value;
      const at = status === null ? recordedAt : timeOfVote(status, cooldownMs);
      if (at === null || at > now + toleranceMs) return { type: status?.canVote ? 'noVote' : 'unknownTime' };
      if (at < now - maxClaimAgeMs) return { type: 'tooOld', at, since: now - maxClaimAgeMs };
      const vote = await findSite(name)?.known(userId);
      const atSite = vote?.at === at ? { atSite: { weight: vote.weight, nextVoteAt: vote.nextVoteAt } } : {};
      const result = await recorder.recordClaim({ userId, at, ...atSite }, withoutSecrets(listing), now);
      if (result.outcome === 'claimed') {
        const { credits, balance } = result;
        log.info({ user: userId, listing: name, credits, balance }, 'recorded a claimed vote');
      }
      return outcomeOf(result, at);
    },
  };
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
    case 'recorded': {
      const { at: recordedAt, cause, credits, reason } = result;
      if (Math.abs(recordedAt - at) > toleranceMs) return { type: 'withinCooldown', at, recordedAt };
      const how = cause === 'denied' ? 'denied' : cause === 'claim' ? 'claimed' : 'paid';
      return { type: 'recorded', at: recordedAt, how, credits, reason };
    }
  }
}

/** The plain data that the store needs; a listing of the configuration has more. */
function withoutSecrets({
  name,
  kind,
  id,
  rewards,
  community,
  announced,
  ...channels
}: ListingContext): ListingContext {
  const { announceChannelId, premiumChannelId } = channels;
  return { name, kind, id, rewards, community, announced, announceChannelId, premiumChannelId };
}

export function createServices(
  context: ServicesContext & {
    readonly store: { readonly ledgerIn: (communityId: CommunityId) => LedgerReads };
    readonly claimRecorder: ClaimRecorder;
    readonly compareTargets: (listing: string) => Promise<void>;
  },
) {
  const { store, claimRecorder: recorder, directory, lookups } = context;
  const finders = { findListing: directory.find, findLookup: lookups.find, findSite: lookups.findSite };
  const claims = createClaims({ ...context, ...finders, ledgerIn: store.ledgerIn, recorder });
  return { commands: { claims } } satisfies FeatureServices;
}
