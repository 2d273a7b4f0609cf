import type { Vote } from '../../webhook/event.ts';
import { accountIdOf, lastVoteIn } from '../ledger/account.ts';
import { isCountedVote } from '../ledger/entry.ts';
import type { GivenRole } from '../outbox/effect-contents.ts';
import { decideVote, type Reached } from '../rewards/decide-vote.ts';
import type { VoteHistory } from '../rewards/history.ts';
import { addToScores } from '../rewards/period-scores.ts';
import {
  creditsOf,
  maxSameVoteGapMs,
  minVoteGapMs,
  type RewardEntry,
  untimedRepeatWindowMs,
} from '../rewards/reward.ts';
import { type StreakInDays, streakOn } from '../rewards/streak.ts';
import type { AccountState } from './account-state.ts';
import { calendarOf, namesOfTarget, outageDaysOf } from './community.ts';
import { applyGrants } from './grants.ts';
import { type EventKey, forgottenVoteKey, isIdentified, voteKeys } from './idempotency-key.ts';
import type { ListingContext } from './listing-context.ts';
import type { PastVote, RecordedDelivery, Tally } from './tally.ts';
import { callHook, isMet, type RecordingContext, writeDuplicate, writeEvent, writeRepeat } from './write-event.ts';

/** Records a vote with all that it earns, or as a duplicate. */
export function recordVote(vote: Vote, context: RecordingContext): RecordedDelivery {
  const { tally, listing, delivery, rowWriter } = context;
  const { receivedAt } = delivery;
  const isOnSite = listing.rewards.base.site !== undefined;
  const { isReleased } = rowWriter;
  // Whatever becomes of it: the feature that has held the vote holds it no longer.
  const heldAgain = isOnSite && isReleased ? callBeforeVote(vote, [], context) : null;
  if (heldAgain !== null) return heldAgain;
  const account = tally.accountState(accountIdOf(listing.community.id, vote.userId));
  const at = vote.at ?? receivedAt;
  const isTimed = vote.at !== null;
  const withinCooldown = isWithinCooldown(tally, account, listing, { at, isTimed });
  const repeated = isIdentified(vote) ? undefined : findRepeatedVote(receivedAt, withinCooldown, account, context);
  if (repeated !== undefined) return writeDuplicate(vote, repeated.deliveryId, context);
  const isKnown = isForgottenVote(vote, at, withinCooldown, context) || isKnownByOtherName(vote, context);
  if (isKnown) return writeDuplicate(vote, null, context);
  const eventKeys = voteKeys(vote, listing, receivedAt);
  const held = isOnSite && !isReleased && !withinCooldown ? callBeforeVote(vote, eventKeys, context) : null;
  if (held !== null) return held;
  const now = rowWriter.effectsCreatedAt;
  const rewards = voteRewards(tally, { vote, listing, account, at, withinCooldown, now });
  return writeEvent(vote, { ...rewards, eventKeys }, context);
}

/**
 * What is recorded instead of the vote where a feature may hold it; null for nothing.
 * @param keys of a new vote, which is not held if it is known
 */
function callBeforeVote(vote: Vote, keys: readonly EventKey[], context: RecordingContext): RecordedDelivery | null {
  const { tally } = context;
  for (const { beforeVote } of tally.hooks) {
    if (beforeVote === undefined || !isMet(beforeVote.of, context)) continue;
    const isKnown = keys.some(tally.hasEvent);
    const held = isKnown ? writeRepeat(vote, keys, context) : beforeVote.call(tally, { vote, ...context });
    if (held !== null) return held;
  }
  return null;
}

/**
 * The earlier vote that a vote without a timestamp repeats: all such votes within one cooldown are the same vote. A
 * replayed vote is also compared with later ones. A vote that may be paid repeats only votes that count; otherwise a
 * rejected repeat would cost the member the next vote. A vote within the cooldown also repeats uncounted ones, so that
 * it is announced once.
 */
function findRepeatedVote(
  receivedAt: number,
  withinCooldown: boolean,
  account: AccountState,
  { tally, listing }: RecordingContext,
): PastVote | undefined {
  const windowMs = untimedRepeatWindowMs(listing.rewards.base);
  const after = receivedAt - windowMs;
  const last = lastVoteIn(account.lastVotes, namesOfTarget(listing.community, listing.name));
  if (!withinCooldown && (last === null || last <= after)) return undefined;
  const votes = votesForTarget(tally, account, listing, after, receivedAt + windowMs);
  return votes.find(({ cause, untimed }) => untimed && (withinCooldown || isCountedVote(cause)));
}

/** Whether the vote was received for another listing with the same target. */
function isKnownByOtherName(vote: Vote, { tally, listing, delivery }: RecordingContext): boolean {
  if (!isIdentified(vote) && vote.atSite === undefined) return false;
  const others = namesOfTarget(listing.community, listing.name).filter((name) => name !== listing.name);
  return others.some((name) => voteKeys(vote, { ...listing, name }, delivery.receivedAt).some(tally.hasEvent));
}

/** The last votes for the target of a listing from before the member was forgotten (ms since the epoch). */
export function forgottenVotesOf(tally: Tally, userId: string, listing: ListingContext): readonly number[] {
  const names = namesOfTarget(listing.community, listing.name);
  // Every vote asks, and few members were forgotten lately: the key is a digest that is rarely needed.
  return names.flatMap((name) => tally.forgottenVoteAt(() => forgottenVoteKey(userId, { ...listing, name })) ?? []);
}

/**
 * Whether a vote that may be paid repeats one from before its member was forgotten: one without a timestamp, or a
 * claimed one whose delivery comes late. The account, with whose last votes it would be compared, is a new one.
 */
function isForgottenVote(
  { userId, at: timestamp }: Vote,
  at: number,
  withinCooldown: boolean,
  { tally, listing }: RecordingContext,
): boolean {
  if (withinCooldown && timestamp !== null) return false;
  const forgottenAt = forgottenVotesOf(tally, userId, listing);
  return forgottenAt.some((time) => Math.abs(at - time) < untimedRepeatWindowMs(listing.rewards.base));
}

/** A vote with the account of its voter as it was before. */
export interface CastVote {
  readonly vote: Vote;
  readonly listing: ListingContext;
  readonly account: AccountState;
  /** The time of the vote, or of its delivery if it has none (ms since the epoch). */
  readonly at: number;
  readonly withinCooldown: boolean;
  /** The current time (ms since the epoch). */
  readonly now: number;
}

/** What a vote earns. Nothing is written yet. */
export interface VoteRewards {
  /** The vote's own entry first. */
  readonly entries: readonly RewardEntry[];
  /** The account with the vote in its history and scores, without the entries. */
  readonly account: AccountState;
  /** The streak after the vote (days); null if it does not count. */
  readonly streak: number | null;
  readonly reached: Reached;
  /** Calls the hooks of the features, and grants the roles, which it returns. */
  readonly apply: (deliveryId: number | null) => readonly GivenRole[];
}

/** The votes for the target of a listing between two times (ms since the epoch, both exclusive). */
export function votesForTarget(
  tally: Tally,
  account: AccountState,
  { name, community }: ListingContext,
  after: number,
  before: number,
): readonly PastVote[] {
  return namesOfTarget(community, name).flatMap((each) => tally.votesBetween(account, each, after, before));
}

/**
 * Whether a counted vote for the listing is too close to a vote at this time (ms since the epoch), before or after it.
 * The last vote is usually sufficient. The entries are read only for a vote that arrives after a later one, and at other
 * sites: that such a site has accepted a vote with a time proves that it was not too early after another one with a time.
 */
function isWithinCooldown(
  tally: Tally,
  account: AccountState,
  listing: ListingContext,
  { at, isTimed }: { readonly at: number; readonly isTimed: boolean },
): boolean {
  const { base } = listing.rewards;
  const isDecidedBySite = isTimed && base.site !== undefined;
  const gapMs = minVoteGapMs(base);
  const maxSameGapMs = maxSameVoteGapMs(base);
  const rangeMs = Math.max(gapMs, maxSameGapMs + 1);
  const last = lastVoteIn(account.lastVotes, namesOfTarget(listing.community, listing.name));
  if (last === null || last <= at - rangeMs) return false;
  if (Math.abs(last - at) < gapMs && !isDecidedBySite) return true;
  const near = votesForTarget(tally, account, listing, at - rangeMs, at + rangeMs);
  return near.some((other) => {
    if (!isCountedVote(other.cause)) return false;
    const differenceMs = Math.abs(other.at - at);
    // One that was claimed or imported is this one, although the site's API states its time less exactly.
    const isSame = other.deliveryId === null && differenceMs <= maxSameGapMs;
    return isSame || (differenceMs < gapMs && (other.untimed || !isDecidedBySite));
  });
}

export function voteRewards(tally: Tally, cast: CastVote): VoteRewards {
  const { vote, listing, account, at, withinCooldown, now } = cast;
  const { name, rewards, community } = listing;
  const calendar = calendarOf(community);
  const day = calendar.dayAt(at);
  const outageDays = outageDaysOf(tally.outages(), calendar);
  const { entries, grants, history, reached } = decideVote(account.history, vote, {
    listing: name,
    rewards,
    communityListings: community.listings,
    sameTarget: community.sameTarget,
    calendar,
    at,
    withinCooldown,
    roles: new Set(account.roles),
    outageDays,
  });
  if (withinCooldown) return { entries, account, streak: null, reached, apply: () => [] };

  const streak = streakAfter(tally, history, listing, now);
  const scores = addToScores(account.scores, day, 1, creditsOf(entries));
  return {
    entries,
    account: { ...account, history, streak, scores },
    streak: streak.days,
    reached,
    apply(deliveryId) {
      const nextVoteAt = vote.atSite?.nextVoteAt ?? null;
      const counted = { listing, account, at, day, deliveryId, now, nextVoteAt };
      for (const { onVote } of tally.hooks) callHook(onVote, tally, counted);
      return grants.length === 0 ? [] : applyGrants(tally, grants, { community, deliveryId, now });
    },
  };
}

/** The streak of a history at a time (ms since the epoch). */
function streakAfter(tally: Tally, history: VoteHistory, listing: ListingContext, now: number): StreakInDays {
  const calendar = calendarOf(listing.community);
  const forgive = listing.rewards.streak?.forgive ?? 0;
  return streakOn(history, calendar.dayAt(now), { forgive, outageDays: outageDaysOf(tally.outages(), calendar) });
}
