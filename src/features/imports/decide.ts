import { type AccountId, accountIdOf, lastVoteIn, withVote } from '../../core/ledger/account.ts';
import type { Entry } from '../../core/ledger/entry.ts';
import { addToScores } from '../../core/rewards/period-scores.ts';
import { minVoteGapMs } from '../../core/rewards/reward.ts';
import { addPastVote } from '../../core/rewards/streak-steps.ts';
import { type AccountState, emptyAccount } from '../../core/tally/account-state.ts';
import { calendarOf, namesOfTarget } from '../../core/tally/community.ts';
import type { ImportItem, ImportTarget, ItemOutcome } from './items.ts';

/** A counted vote of an account. */
export interface StoredVote {
  readonly listing: string | null;
  readonly at: number;
}

/** What decisions about items depend on. */
export interface ImportState {
  /** Missing accounts are empty. */
  readonly accounts: ReadonlyMap<AccountId, AccountState>;
  /** Credits of items that were imported before, by {@link itemId}. */
  readonly imported: ReadonlyMap<string, number>;
  /** All counted votes of the accounts for which {@link needsVotes}. */
  readonly votes: ReadonlyMap<AccountId, readonly StoredVote[]>;
  /** Days on which receiving was down (day numbers). */
  readonly outageDays: ReadonlySet<number>;
}

/** What is to be written. */
export interface ImportDecision {
  readonly outcomes: readonly ItemOutcome[];
  /** The accounts that change, without the entries, which {@link entries} has in their order. */
  readonly accounts: ReadonlyMap<AccountId, AccountState>;
  readonly entries: readonly { readonly entry: Entry; readonly item: ImportItem }[];
}

/** Identifies an item among those of all accounts. */
export function itemId(accountId: string, key: string): string {
  return `${accountId} ${key}`;
}

/** Whether an item may be too close to an earlier vote than the last one of its account. */
export function needsVotes(account: AccountState, items: readonly ImportItem[], { listings }: ImportTarget): boolean {
  return items.some(({ vote }) => {
    if (vote === null || vote.isTotal) return false;
    const last = lastVoteIn(account.lastVotes, namesOf(vote.listing, listings));
    return last !== null && vote.at < last + gapOf(vote.listing, listings);
  });
}

/**
 * Decides what items credit. Imported votes earn nothing but what the file says, and have no effects: no announcement, no
 * role, no party. Complete steps of streaks count as paid.
 */
export function decideImport(
  target: ImportTarget,
  items: readonly ImportItem[],
  state: ImportState,
  now: number,
): ImportDecision {
  const accounts = new Map<AccountId, AccountState>();
  const imported = new Map(state.imported);
  const added = new Map<AccountId, StoredVote[]>();
  const entries: { entry: Entry; item: ImportItem }[] = [];

  function outcomeOf(item: ImportItem): ItemOutcome {
    const accountId = accountIdOf(target.communityId, item.userId);
    const account = accounts.get(accountId) ?? state.accounts.get(accountId) ?? emptyAccount(accountId);
    const id = itemId(accountId, item.key);
    const before = imported.get(id);
    if (before !== undefined) {
      return before === item.credits ? { outcome: 'imported' } : { outcome: 'different', credits: before };
    }
    const votes = added.get(accountId) ?? [];
    if (item.vote !== null && isTooClose(item.vote, account, [...(state.votes.get(accountId) ?? []), ...votes])) {
      return { outcome: 'within_cooldown' };
    }
    imported.set(id, item.credits);
    entries.push({ entry: entryOf(target, item, now), item });
    accounts.set(accountId, withItem(account, item));
    if (item.vote !== null) added.set(accountId, [...votes, item.vote]);
    return { outcome: 'credited' };
  }

  function isTooClose(
    { listing, at, isTotal }: NonNullable<ImportItem['vote']>,
    account: AccountState,
    votes: readonly StoredVote[],
  ): boolean {
    if (isTotal) return false;
    const gapMs = gapOf(listing, target.listings);
    const names = namesOf(listing, target.listings);
    const last = lastVoteIn(account.lastVotes, names);
    if (last === null || last <= at - gapMs) return false;
    return votes.some((vote) => names.includes(vote.listing ?? '') && Math.abs(vote.at - at) < gapMs);
  }

  /** The account with the vote in its history and scores. The entry itself is added when it is written. */
  function withItem(account: AccountState, { credits, vote }: ImportItem): AccountState {
    const listing = target.listings.find(({ name }) => name === vote?.listing);
    if (vote === null || listing === undefined) return account;
    const lastVotes = withVote(account.lastVotes, vote.listing, vote.at);
    const day = calendarOf(listing.community).dayAt(vote.at);
    const { history, scores } = account;
    const past = { listing: vote.listing, day };
    return {
      ...account,
      lastVotes,
      history: addPastVote(history, past, listing.rewards.streak, state.outageDays),
      scores: addToScores(scores, day, 1, credits),
    };
  }

  return { outcomes: items.map(outcomeOf), accounts, entries };
}

function entryOf({ communityId, reason }: ImportTarget, { userId, credits, vote }: ImportItem, now: number): Entry {
  return {
    accountId: accountIdOf(communityId, userId),
    listing: vote?.listing ?? null,
    credits,
    cause: vote === null ? 'correction' : 'vote',
    reason,
    at: vote?.at ?? now,
    deliveryId: null,
    untimed: false,
    achievement: null,
  };
}

function namesOf(name: string, listings: ImportTarget['listings']): readonly string[] {
  const listing = listings.find((each) => each.name === name);
  return listing === undefined ? [name] : namesOfTarget(listing.community, name);
}

function gapOf(name: string, listings: ImportTarget['listings']): number {
  const listing = listings.find((each) => each.name === name);
  return listing === undefined ? 0 : minVoteGapMs(listing.rewards.base);
}
