import type { Premium } from '../../../webhook/event.ts';
import { type AccountId, type AccountScope, accountIdOf } from '../../ledger/account-id.ts';
import type { AccountState } from '../../tally/account-state.ts';
import { type EventKey, forgottenCorrectionKey, forgottenVoteKeys, voteKey } from '../../tally/idempotency-key.ts';
import type { ListingContext } from '../../tally/listing-context.ts';
import { partyPeriodAt } from '../../tally/party.ts';
import { grantsRoles } from '../../tally/queues.ts';
import type { RoutedDelivery } from '../../tally/tally.ts';
import type { RecordingJob } from '../commits/jobs.ts';

/** A user's votes for a listing between two times (ms since the epoch, both exclusive). */
export interface VoteRange {
  readonly account: AccountState;
  /** Null for any listing. */
  readonly listing: string | null;
  readonly after: number;
  readonly before: number;
}

/** What decisions have to read, collected in order to read it together. */
export interface Needs {
  readonly accounts: Set<AccountId>;
  readonly events: Set<EventKey>;
  readonly forgottenVotes: Set<EventKey>;
  readonly orderIds: Set<string>;
  /** In which communities the holders of the orders may have accounts. */
  readonly orderScopes: Set<AccountScope>;
  readonly replayedIds: Set<number>;
  readonly idempotencyKeys: Set<string>;
  /** Users whose grants are needed. */
  readonly grantees: Set<string>;
  /** Periods of parties. */
  readonly parties: Set<string>;
  readonly voteRanges: VoteRange[];
  /** Number of ids for new deliveries, and for new entries. */
  newIds: number;
}

export function noNeeds(): Needs {
  return {
    accounts: new Set(),
    events: new Set(),
    forgottenVotes: new Set(),
    orderIds: new Set(),
    orderScopes: new Set(),
    replayedIds: new Set(),
    idempotencyKeys: new Set(),
    grantees: new Set(),
    parties: new Set(),
    voteRanges: [],
    newIds: 0,
  };
}

/** What the jobs certainly need; their decisions may need more. */
export function needsOf(jobs: readonly RecordingJob[]): Needs {
  const needs = noNeeds();
  needs.newIds = jobs.length;
  for (const job of jobs) addJob(needs, job);
  return needs;
}

function addJob(needs: Needs, job: RecordingJob): void {
  switch (job.name) {
    case 'record': {
      const [delivery, routed] = job.args;
      addDelivery(needs, delivery.receivedAt, routed);
      return;
    }
    case 'recordReplay': {
      const [id, delivery, routed] = job.args;
      needs.replayedIds.add(id);
      addDelivery(needs, delivery.receivedAt, routed);
      return;
    }
    case 'correct': {
      const [{ userId, accounts }, idempotencyKey] = job.args;
      needs.accounts.add(accountIdOf(accounts, userId));
      needs.idempotencyKeys.add(idempotencyKey);
      needs.idempotencyKeys.add(forgottenCorrectionKey(idempotencyKey));
      return;
    }
    case 'recordClaim': {
      const [{ userId, at }, listing] = job.args;
      needs.accounts.add(accountIdOf(listing.community.accounts, userId));
      for (const key of forgottenVoteKeys(userId, listing)) needs.forgottenVotes.add(key);
      addListing(needs, userId, at, listing);
      return;
    }
    case 'completeHistory': {
      const [accountId] = job.args;
      needs.accounts.add(accountId);
    }
  }
}

function addDelivery(needs: Needs, receivedAt: number, routed: RoutedDelivery): void {
  if (routed.type !== 'event' && routed.type !== 'order') return;
  const { event } = routed;
  if (event.family === 'premium') {
    addPremium(needs, event, routed.type === 'event' ? [routed.listing] : routed.listings);
  } else if (routed.type === 'event') {
    const { listing } = routed;
    needs.accounts.add(accountIdOf(listing.community.accounts, event.userId));
    needs.events.add(voteKey(event, listing.name, receivedAt));
    for (const key of forgottenVoteKeys(event.userId, listing)) needs.forgottenVotes.add(key);
    addListing(needs, event.userId, event.at ?? receivedAt, listing);
  }
}

/** What the rewards of a vote at this time (ms since the epoch) need. */
function addListing(needs: Needs, userId: string, at: number, listing: ListingContext): void {
  if (grantsRoles('vote', listing)) needs.grantees.add(userId);
  const period = partyPeriodAt(listing, at);
  if (period !== null) needs.parties.add(period);
}

function addPremium(needs: Needs, { userId, orderIds }: Premium, listings: readonly ListingContext[]): void {
  for (const { community } of listings) {
    if (userId !== null) needs.accounts.add(accountIdOf(community.accounts, userId));
    needs.orderScopes.add(community.accounts);
  }
  for (const id of orderIds) needs.orderIds.add(id);
}
