import type { Premium } from '../../../webhook/event.ts';
import { type AccountId, accountIdOf, type CommunityId } from '../../ledger/account.ts';
import type { Correction } from '../../ledger/correction.ts';
import type { AccountState } from '../../tally/account-state.ts';
import {
  changeKeyOf,
  type EventKey,
  forgottenCorrectionKey,
  forgottenVoteKeys,
  transferKeyOf,
  voteKeys,
} from '../../tally/idempotency-key.ts';
import { type ListingContext } from '../../tally/listing-context.ts';
import { grantsRoles } from '../../tally/queues.ts';
import type { RecordingJob } from '../../tally/recorder.ts';
import type { Hooks, RoutedDelivery } from '../../tally/tally.ts';
import { isMet, withPlausibleTime } from '../../tally/write-event.ts';
import type { HotTable } from './hot-table.ts';

/** A user's votes for a listing between two times (ms since the epoch, both exclusive). */
export interface VoteRange {
  readonly account: AccountState;
  /** Null for any listing. */
  readonly listing: string | null;
  readonly after: number;
  readonly before: number;
}

/** The rows that decisions have to read, collected in order to read them together. */
export type Needs = ReturnType<typeof noNeeds>;

export function noNeeds() {
  return {
    accounts: new Set<AccountId>(),
    events: new Set<EventKey>(),
    forgottenVotes: new Set<EventKey>(),
    /** The ids of orders, by their community. */
    orderIds: new Map<CommunityId, Set<string>>(),
    replayedIds: new Set<number>(),
    /** The keys of corrections, by their community. */
    idempotencyKeys: new Map<CommunityId, Set<string>>(),
    /** Users whose grants are needed. */
    grantees: new Set<string>(),
    /** The keys of rows of the features' tables. */
    rows: new Map<HotTable, Set<string>>(),
    voteRanges: [] as VoteRange[],
    /** Number of ids for new deliveries, and for new entries. */
    newIds: 0,
  };
}

/** The rows that the jobs certainly need; their decisions may need more. */
export function needsOf(jobs: readonly RecordingJob[], hooks: readonly Hooks[]): Needs {
  const needs = noNeeds();
  needs.newIds = jobs.length;
  for (const job of jobs) addJob(needs, job, hooks);
  return needs;
}

function addJob(needs: Needs, job: RecordingJob, hooks: readonly Hooks[]): void {
  switch (job.name) {
    case 'record': {
      const [delivery, routed] = job.args;
      addDelivery(needs, delivery.receivedAt, routed, hooks);
      return;
    }
    case 'recordReplay': {
      const [id, delivery, routed] = job.args;
      needs.replayedIds.add(id);
      addDelivery(needs, delivery.receivedAt, routed, hooks);
      return;
    }
    case 'correct': {
      addCorrection(needs, ...job.args);
      return;
    }
    case 'transfer': {
      const [taken, given, key] = job.args;
      addCorrection(needs, taken, transferKeyOf(key));
      addCorrection(needs, given, changeKeyOf(key));
      return;
    }
    case 'recordClaim': {
      const [{ userId, at }, listing] = job.args;
      needs.accounts.add(accountIdOf(listing.community.id, userId));
      for (const key of forgottenVoteKeys(userId, listing)) needs.forgottenVotes.add(key);
      addListing(needs, { userId, listing, at }, hooks);
      return;
    }
  }
}

function addCorrection(needs: Needs, { userId, communityId }: Correction, idempotencyKey: string): void {
  needs.accounts.add(accountIdOf(communityId, userId));
  addScoped(needs.idempotencyKeys, communityId, [idempotencyKey, forgottenCorrectionKey(idempotencyKey)]);
}

/** Notes names within a community. */
export function addScoped(
  names: Map<CommunityId, Set<string>>,
  communityId: CommunityId,
  added: readonly string[],
): void {
  names.set(communityId, new Set([...(names.get(communityId) ?? []), ...added]));
}

function addDelivery(needs: Needs, receivedAt: number, routed: RoutedDelivery, hooks: readonly Hooks[]): void {
  if (routed.type === 'quarantine' && routed.unless !== undefined) {
    const { vote, listing } = routed.unless;
    for (const key of voteKeys(vote, listing, receivedAt)) needs.events.add(key);
  }
  if (routed.type !== 'event' && routed.type !== 'order') return;
  const event = withPlausibleTime(routed.event, receivedAt);
  if (event.family === 'premium') {
    addPremium(needs, event, routed.type === 'event' ? [routed.listing] : routed.listings);
  } else if (routed.type === 'event') {
    const { listing } = routed;
    needs.accounts.add(accountIdOf(listing.community.id, event.userId));
    for (const key of voteKeys(event, listing, receivedAt)) needs.events.add(key);
    for (const key of forgottenVoteKeys(event.userId, listing)) needs.forgottenVotes.add(key);
    addListing(needs, { userId: event.userId, listing, at: event.at ?? receivedAt }, hooks);
  }
}

/** Adds the rows that the rewards of a vote need, and the hooks that it calls. */
function addListing(
  needs: Needs,
  vote: { readonly userId: string; readonly listing: ListingContext; readonly at: number },
  hooks: readonly Hooks[],
): void {
  if (grantsRoles('vote', vote.listing)) needs.grantees.add(vote.userId);
  for (const { beforeVote, onVote } of hooks) {
    for (const hook of [beforeVote, onVote]) {
      const read = hook?.reads !== undefined && isMet(hook.of, vote) ? hook.reads(vote) : null;
      if (read !== null) addRow(needs, read.table, read.key);
    }
  }
}

/** Notes that a row of the table is needed. Returns the keys, so that it can be called in an expression. */
export function addRow({ rows }: Needs, table: HotTable, key: string): ReadonlySet<string> {
  const keys = rows.get(table) ?? new Set();
  rows.set(table, keys.add(key));
  return keys;
}

function addPremium(needs: Needs, { userId, orderIds }: Premium, listings: readonly ListingContext[]): void {
  for (const { community } of listings) {
    if (userId !== null) needs.accounts.add(accountIdOf(community.id, userId));
    if (orderIds.length > 0) addScoped(needs.orderIds, community.id, orderIds);
  }
}
