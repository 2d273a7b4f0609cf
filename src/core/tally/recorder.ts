import { day } from '@tallyhook/platform/durations';
import { type Event, endsOrder, type Premium, type Vote, type VoteAtSite, voteKindOf } from '../../webhook/event.ts';
import { isReplayable, quarantineReasons } from '../../webhook/rejections.ts';
import { accountIdOf, type CommunityId, lastVoteIn } from '../ledger/account.ts';
import {
  type Correction,
  type CorrectionResult,
  correctionEntry,
  overdraws,
  type TransferResult,
} from '../ledger/correction.ts';
import { type Cause, isCountedVote } from '../ledger/entry.ts';
import { announcementKind, type GivenRole, newEffect } from '../outbox/effect-kind.ts';
import { addToScores, type Calendar, periodDays } from '../rewards/calendar.ts';
import { decidePremium, decideVote, type PremiumOrder, premiumSource, type Reached } from '../rewards/decide-vote.ts';
import type { VoteHistory } from '../rewards/history.ts';
import {
  creditsOf,
  type Grant,
  maxSameVoteGapMs,
  minVoteGapMs,
  type RewardEntry,
  untimedRepeatWindowMs,
} from '../rewards/reward.ts';
import type { Period } from '../rewards/rules.ts';
import { type StreakInDays, streakOn } from '../rewards/streak.ts';
import type { AccountState } from './account-state.ts';
import { calendarOf, namesOfTarget, outageDaysOf } from './community.ts';
import { applyGrants } from './grants.ts';
import {
  changeKeyOf,
  companionsOf,
  drawOf,
  type EventKey,
  forgottenCorrectionKey,
  forgottenVoteKey,
  isIdentified,
  premiumKeys,
  programKeyOf,
  transferKeyOf,
  voteKey,
  voteKeys,
} from './idempotency-key.ts';
import { identityOf, type ListingContext, type ListingIdentity } from './listing-context.ts';
import { applyToOrder, type Order, orderIdsOf, withEvent, withHolder } from './order.ts';
import { channelQueueOf } from './queues.ts';
import {
  alreadyReplayed,
  type Delivery,
  type DeliveryRowWriter,
  type PastVote,
  type RecordedDelivery,
  type RoutedDelivery,
  type Tally,
} from './tally.ts';
import {
  announce,
  callHook,
  isMet,
  quarantineDelivery,
  type RecordingContext,
  testAnnouncementOf,
  withPlausibleTime,
  writeDuplicate,
  writeEvent,
  writeRepeat,
  writeUnpaid,
} from './write-event.ts';

/** Operations that decide what counts, by name: each reads and writes through the tally of its transaction. */
const operations = {
  record: recordDelivery,
  recordReplay,
  correct: recordCorrection,
  transfer: recordTransfer,
  recordClaim,
};

type Operations = typeof operations;
type WithoutTally<Args extends readonly unknown[]> = Args extends readonly [Tally, ...infer Rest] ? Rest : never;
type RecordingName = keyof Operations;
export const recordingNames = Object.keys(operations) as readonly RecordingName[];
type RecordingArgs = { [Name in RecordingName]: WithoutTally<Parameters<Operations[Name]>> };
type RecordingResults = { [Name in RecordingName]: ReturnType<Operations[Name]> };
export type RecordingResult = RecordingResults[RecordingName];

/**
 * The operations as all other code calls them. Each call is one transaction and resolves when that is on disk. Waiting
 * calls are committed together. What a transaction has read stays valid until its commit, over all processes.
 * Rejects with {@link StoreUnavailableError} if the store cannot commit, and with TallyhookError `queue_full` if too
 * many calls are waiting; then nothing is stored.
 */
export type Recordings = {
  readonly [Name in RecordingName]: (...args: RecordingArgs[Name]) => Promise<RecordingResults[Name]>;
};

/** Records deliveries, new ones and those from the quarantine. */
export type Recorder = Pick<Recordings, 'record' | 'recordReplay'>;
export type ClaimRecorder = Pick<Recordings, 'recordClaim'>;

/** A call of an operation as plain data, which the writer runs, perhaps in another thread. */
export type RecordingJob<Name extends RecordingName = RecordingName> = {
  [Each in Name]: { readonly name: Each; readonly args: RecordingArgs[Each] };
}[Name];

/** Decides a job, and writes its changes to the tally. Throws what the tally throws. */
export function decide<Name extends RecordingName>(tally: Tally, job: RecordingJob<Name>): RecordingResults[Name] {
  const decisions: { [Each in RecordingName]: (tally: Tally, ...args: RecordingArgs[Each]) => RecordingResults[Each] } =
    operations;
  return decisions[job.name](tally, ...job.args);
}

/** Records a new delivery. */
function recordDelivery(tally: Tally, delivery: Delivery, routed: RoutedDelivery): RecordedDelivery {
  return recordRouted(tally, delivery, routed, {
    effectsCreatedAt: delivery.receivedAt,
    isReleased: false,
    replayedId: null,
    writeRow: (row) => tally.insertDelivery(isReplayable(row) ? { ...row, origin: originOf(routed) } : row),
  });
}

/**
 * Records a quarantined or refused delivery in its existing row. The outcome is `duplicate` if it is neither any more.
 * @param now ms since the epoch
 */
function recordReplay(
  tally: Tally,
  id: number,
  delivery: Delivery,
  routed: RoutedDelivery,
  now: number,
): RecordedDelivery {
  return recordRouted(tally, delivery, routed, {
    effectsCreatedAt: now,
    isReleased: delivery.isDue !== true && delivery.isMember !== true,
    replayedId: id,
    writeRow: (row) => (tally.updateDelivery(id, row) ? id : null),
  });
}

function recordRouted(
  untracedTally: Tally,
  delivery: Delivery,
  routed: RoutedDelivery,
  rowWriter: DeliveryRowWriter,
): RecordedDelivery {
  const { traceparent } = delivery;
  const tally = traceparent === undefined ? untracedTally : withTrace(untracedTally, traceparent);
  switch (routed.type) {
    case 'event':
      return recordEvent(tally, routed.event, routed.listing, delivery, rowWriter);
    case 'test':
      return recordTest(tally, routed, delivery, rowWriter);
    case 'order':
      return recordOrderEvent(tally, routed, delivery, rowWriter);
    case 'ignored': {
      const { kind, listing } = routed;
      return writeUnpaid({ ...delivery, listing, kind, outcome: 'ignored', reason: null, userId: null }, rowWriter);
    }
    case 'quarantine': {
      const repeat = routed.unless && recordKnown(routed.unless, { tally, delivery, rowWriter });
      return repeat ?? quarantineDelivery(tally, delivery, routed, rowWriter);
    }
  }
}

/** The listings whose secret has authenticated a delivery, as far as its event did not decide for one of them. */
function originOf(routed: RoutedDelivery): readonly ListingIdentity[] {
  switch (routed.type) {
    case 'event':
    case 'test':
      return [identityOf(routed.listing)];
    case 'order':
      return routed.listings.map(identityOf);
    case 'quarantine':
      return routed.origin;
    case 'ignored':
      return [];
  }
}

/** Records a delivery of a vote that is known as a repeat; null if it is not known. */
function recordKnown(
  { vote, listing }: { readonly vote: Vote; readonly listing: ListingContext },
  context: Omit<RecordingContext, 'listing'>,
): RecordedDelivery | null {
  const keys = voteKeys(vote, listing, context.delivery.receivedAt);
  return keys.some(context.tally.hasEvent) ? writeRepeat(vote, keys, { ...context, listing }) : null;
}

/** A tally whose effects belong to the trace. */
function withTrace(tally: Tally, traceparent: string): Tally {
  return { ...tally, enqueue: (effect) => tally.enqueue({ ...effect, traceparent }) };
}

/** Logs and announces every test delivery. A test pays nothing and is not counted as a vote. */
function recordTest(
  tally: Tally,
  { test, listing }: RoutedDelivery & { type: 'test' },
  delivery: Delivery,
  rowWriter: DeliveryRowWriter,
): RecordedDelivery {
  const row = { ...delivery, listing: listing.name, kind: test.kind, outcome: 'test', userId: test.userId } as const;
  const recorded = writeUnpaid({ ...row, reason: null }, rowWriter);
  const queue = channelQueueOf(delivery.family, listing);
  if (recorded === alreadyReplayed || queue === null) return recorded;
  const { deliveryId } = recorded;
  const content = testAnnouncementOf(test, listing, delivery.receivedAt);
  const createdAt = rowWriter.effectsCreatedAt;
  tally.enqueue(newEffect(announcementKind, { deliveryId, queue, content, createdAt }));
  return { ...recorded, isAnnounced: true };
}

/** The stored order determines the listing of an event that could belong to several. */
function recordOrderEvent(
  tally: Tally,
  { event, listings, fallback }: RoutedDelivery & { type: 'order' },
  delivery: Delivery,
  rowWriter: DeliveryRowWriter,
): RecordedDelivery {
  const ofOrder = listings.find(
    ({ name, community }) => tally.findOrder(community.id, event.orderIds)?.listing === name,
  );
  const listing = ofOrder ?? listings.find(({ name }) => name === fallback);
  if (listing !== undefined) return recordEvent(tally, event, listing, delivery, rowWriter);
  const reason = quarantineReasons.noListing;
  return quarantineDelivery(tally, delivery, { kind: event.kind, reason, listing: null }, rowWriter);
}

/**
 * Writes the row, entries, account and effects of an event, inside the caller's transaction.
 * An event that is already recorded adds only a row to the delivery log.
 */
function recordEvent(
  tally: Tally,
  event: Event,
  listing: ListingContext,
  delivery: Delivery,
  rowWriter: DeliveryRowWriter,
): RecordedDelivery {
  const context = { tally, listing, delivery, rowWriter };
  const plausible = withPlausibleTime(event, delivery.receivedAt);
  return plausible.family === 'vote' ? recordVote(plausible, context) : recordPremium(plausible, context);
}

/** Records a vote with all that it earns, or as a duplicate. */
function recordVote(vote: Vote, context: RecordingContext): RecordedDelivery {
  const { tally, listing, delivery, rowWriter } = context;
  const { receivedAt } = delivery;
  const { isReleased } = rowWriter;
  // Whatever becomes of it: the feature that has held the vote holds it no longer.
  const heldAgain = isReleased ? callBeforeVote(vote, [], context) : null;
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
  const held = !isReleased && !withinCooldown ? callBeforeVote(vote, eventKeys, context) : null;
  if (held !== null) return held;
  const now = rowWriter.effectsCreatedAt;
  const rewards = voteRewards(tally, { vote, listing, account, at, withinCooldown, now });
  return writeEvent(vote, { ...rewards, eventKeys }, context);
}

/**
 * The delivery that is recorded instead of the vote where a feature may hold it; null for none.
 * @param keys of a new vote, which is not held if it is known
 */
function callBeforeVote(vote: Vote, keys: readonly EventKey[], context: RecordingContext): RecordedDelivery | null {
  const { tally, rowWriter } = context;
  for (const { beforeVote } of tally.hooks) {
    if (beforeVote === undefined || !isMet(beforeVote.of, context)) continue;
    // A vote that was held until Discord has answered is known by its own delivery.
    const isOwn = (key: EventKey) => rowWriter.replayedId !== null && tally.deliveryOf(key) === rowWriter.replayedId;
    const isKnown = keys.some((key) => tally.hasEvent(key) && !isOwn(key));
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

/** True if the vote was received for another listing with the same target. */
function isKnownByOtherName(vote: Vote, { tally, listing, delivery }: RecordingContext): boolean {
  if (!isIdentified(vote) && vote.atSite === undefined) return false;
  const others = namesOfTarget(listing.community, listing.name).filter((name) => name !== listing.name);
  return others.some((name) => voteKeys(vote, { ...listing, name }, delivery.receivedAt).some(tally.hasEvent));
}

/** The last votes for the target of a listing from before the member was forgotten (ms since the epoch). */
function forgottenVotesOf(tally: Tally, userId: string, listing: ListingContext): readonly number[] {
  const names = namesOfTarget(listing.community, listing.name);
  // Every vote asks, and few members were forgotten lately: the key is a digest that is rarely needed.
  return names.flatMap((name) => tally.forgottenVoteAt(() => forgottenVoteKey(userId, { ...listing, name })) ?? []);
}

/**
 * True if a vote that may be paid repeats one from before its member was forgotten: one without a timestamp, or a
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
interface CastVote {
  readonly vote: Vote;
  readonly listing: ListingContext;
  readonly account: AccountState;
  /** The time of the vote, or of its delivery if it has none (ms since the epoch). */
  readonly at: number;
  readonly withinCooldown: boolean;
  /** The current time (ms since the epoch). */
  readonly now: number;
}

/** The rewards of a vote, before anything is written. */
interface VoteRewards {
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
function votesForTarget(
  tally: Tally,
  account: AccountState,
  { name, community }: ListingContext,
  after: number,
  before: number,
): readonly PastVote[] {
  return namesOfTarget(community, name).flatMap((each) => tally.votesBetween(account, each, after, before));
}

/**
 * True if a counted vote for the listing is too close to a vote at this time (ms since the epoch), before or after it.
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

function voteRewards(tally: Tally, cast: CastVote): VoteRewards {
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
    draw: rewards.luck.length === 0 ? undefined : drawOf(tally.secret, voteKeys(vote, listing, at)[0]),
    votesIn: (per) => votesInPeriod(tally, account, calendar, { per, day }),
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

/**
 * The counted votes of the calendar period of a new vote, including it. The account has the number of the newest period;
 * only for a vote that arrives after one of a later period, the entries are read.
 */
function votesInPeriod(
  tally: Tally,
  account: AccountState,
  calendar: Calendar,
  { per, day }: { readonly per: Period; readonly day: number },
): number {
  const [first, end] = periodDays(per, day);
  const { start, votes } = account.scores[per];
  if (first > start) return 1;
  if (first === start) return votes + 1;
  const recorded = tally.votesBetween(account, null, calendar.startOf(first) - 1, calendar.startOf(end));
  return recorded.filter(({ cause }) => isCountedVote(cause)).length + 1;
}

/** The streak of a history at a time (ms since the epoch). */
function streakAfter(tally: Tally, history: VoteHistory, listing: ListingContext, now: number): StreakInDays {
  const calendar = calendarOf(listing.community);
  const forgive = listing.rewards.streak?.forgive ?? 0;
  return streakOn(history, calendar.dayAt(now), { forgive, outageDays: outageDaysOf(tally.outages(), calendar) });
}

/** Records a premium event and the order that it changes, or as a duplicate. */
function recordPremium(premium: Premium, context: RecordingContext): RecordedDelivery {
  const { tally, listing, delivery, rowWriter } = context;
  const { receivedAt } = delivery;
  const { id: communityId } = listing.community;
  const storedOrder = tally.findOrder(communityId, premium.orderIds);
  const event = withHolder(premium, storedOrder);
  const orderIds = orderIdsOf(event, storedOrder);
  const order = applyToOrder(event, storedOrder, { listing, receivedAt });
  const { keys, recordedKey } = findKeys();
  if (recordedKey !== undefined) {
    if (storedOrder !== null) tally.saveOrder(afterRepeat(storedOrder), receivedAt);
    return writeDuplicate(event, tally.deliveryOf(recordedKey), context);
  }

  if (event.userId === null && !endsOrder(event.kind)) {
    // Store the order without a holder, so that its next event does not make the giver the holder.
    if (order !== null) tally.saveOrder({ ...order, userId: null }, receivedAt);
    const reason = quarantineReasons.noRecipient;
    return quarantineDelivery(tally, delivery, { kind: event.kind, reason, listing: listing.name }, rowWriter);
  }

  const at = event.at ?? receivedAt;
  const { rewards, community } = listing;
  const decision = decidePremium(event, { rewards, before: named(storedOrder), after: named(order) });
  const recorded = writeEvent(
    event,
    {
      entries: decision.entries,
      eventKeys: [keys[0]],
      streak: null,
      account: event.userId === null ? null : afterPremium(event.userId),
      apply(deliveryId) {
        const now = rowWriter.effectsCreatedAt;
        if (event.userId !== null) {
          const premium = { listing, account: stored(event.userId), deliveryId, at, now };
          for (const { onPremium } of tally.hooks) callHook(onPremium, tally, premium);
        }
        return applyGrants(tally, [...decision.grants, ...formerGrants(decision.grants)], {
          community,
          deliveryId,
          now,
        });
      },
    },
    context,
  );
  if (order !== null) tally.saveOrder(order, receivedAt);
  return recorded;

  /** The keys of the event; `recordedKey` is the one by which it is recorded already. */
  function findKeys() {
    const keyContext = { ...delivery, community: String(communityId) };
    const keys = premiumKeys(event, orderIds, keyContext);
    const recordedKey = keys.find((key) => tally.hasEvent(key));
    const endsAgain = event.at !== null && storedOrder?.state === 'active' && order?.state === 'expired';
    if (recordedKey === undefined || !endsAgain) return { keys, recordedKey };
    // The order was active again after the same period had expired, so this is another expiry, with a time of its own.
    const timedKeys = premiumKeys({ ...event, periodEnd: null }, orderIds, keyContext);
    return { keys: timedKeys, recordedKey: timedKeys.find((key) => tally.hasEvent(key)) };
  }

  /** A repeat may contain a new ID of its order, and a later time of the same expiry. */
  function afterRepeat(stored: Order): Order {
    const times = event.kind === 'subscription.expired' ? withEvent(stored.times, event, 0) : stored.times;
    return { ...stored, orderIds, times };
  }

  /**
   * Ends what was granted for the order otherwise: under other ids of it, before an event showed that they are the same, to
   * another holder, or by the rules of that time for its tier.
   */
  function formerGrants(current: readonly Grant[]): Grant[] {
    if (order === null || community.guildId === null) return [];
    const sources = order.orderIds.map(premiumSource);
    const isCurrent = ({ userId, role, source }: Pick<Grant, 'userId' | 'role' | 'source'>) =>
      current.some((grant) => grant.userId === userId && grant.role === role && grant.source === source);
    const holders = new Set([storedOrder?.userId ?? null, order.userId].filter((holder) => holder !== null));
    return [...holders]
      .flatMap((holder) => tally.grantsOf(holder))
      .filter((grant) => sources.includes(grant.source) && grant.guildId === community.guildId && !isCurrent(grant))
      .map(({ userId, role, source }) => ({ userId, role, source, until: 0, change: 'replace' }));
  }

  function stored(userId: string): AccountState {
    return tally.accountState(accountIdOf(community.id, userId));
  }

  function afterPremium(userId: string): AccountState {
    const account = stored(userId);
    const day = calendarOf(community).dayAt(at);
    return { ...account, scores: addToScores(account.scores, day, 0, creditsOf(decision.entries)) };
  }
}

function named(order: Order | null): PremiumOrder | null {
  return order === null ? null : { ...order, id: order.orderIds[0] ?? '' };
}

/** Older votes cannot be claimed: they may be from before the bot was installed (ms). */
export const maxClaimAgeMs = 7 * day;

/** A vote that the service reports, but of which no delivery may have arrived. */
export interface Claim {
  readonly userId: string;
  /** The time of the vote according to the service (ms since the epoch). */
  readonly at: number;
  /** Details that another site states of the vote. */
  readonly atSite?: Omit<VoteAtSite, 'id'>;
  /** True if it is announced, because its member learns of it from no reply. */
  readonly isAnnounced?: boolean;
  /** True if Discord says that the member is in the guild; false by default. */
  readonly isMember?: boolean;
}

/** The result of a claim. Nothing was written unless it is `claimed`. Times are ms since the epoch. */
export type ClaimResult =
  /** `credits`: all that the vote earned; `balance`: with them. */
  | { readonly outcome: 'claimed'; readonly credits: number; readonly balance: number }
  /** The ledger has a counted vote of `at`, which is this one or too close to it. `credits`: of that vote alone. */
  | {
      readonly outcome: 'recorded';
      readonly at: number;
      readonly cause: Cause;
      readonly credits: number;
      readonly reason: string | null;
    }
  /** The vote was paid to an account that the member had forgotten. */
  | { readonly outcome: 'forgotten' }
  /** A feature does not let the vote be paid. */
  | { readonly outcome: 'refused' };

/**
 * Records a vote without a delivery, unless the ledger has it under any name of its target, inside the caller's
 * transaction. A delivery that arrives later is within its cooldown, and pays nothing.
 */
function recordClaim(tally: Tally, claim: Claim, listing: ListingContext, now: number): ClaimResult {
  const { userId, at } = claim;
  const account = tally.accountState(accountIdOf(listing.community.id, userId));
  const { base } = listing.rewards;
  const gapMs = Math.max(minVoteGapMs(base), maxSameVoteGapMs(base) + 1);
  const recorded = nearest(votesForTarget(tally, account, listing, at - gapMs, at + gapMs), at);
  if (recorded !== null) {
    const { cause, credits, at: recordedAt, reason } = recorded;
    return { outcome: 'recorded', at: recordedAt, cause, credits, reason };
  }
  const unrecorded = { listing, userId, at, isMember: claim.isMember === true };
  const isRefused = tally.hooks.some(
    ({ beforeClaim }) =>
      beforeClaim !== undefined && isMet(beforeClaim.of, unrecorded) && beforeClaim.call(tally, unrecorded),
  );
  if (isRefused) return { outcome: 'refused' };
  const vote = voteOf(claim, listing);
  const isForgotten = forgottenVotesOf(tally, userId, listing).some((time) => Math.abs(time - at) < gapMs);
  const keys = namesOfTarget(listing.community, listing.name).map((name) => voteKey(vote, { ...listing, name }, now));
  if (isForgotten || keys.some((key) => tally.hasEvent(key))) return { outcome: 'forgotten' };

  const rewards = voteRewards(tally, { vote, listing, account, at, now, withinCooldown: false });
  const { entries, streak, reached } = rewards;
  const common = { accountId: account.id, listing: listing.name, at, deliveryId: null, untimed: false };
  let updated = rewards.account;
  for (const [index, entry] of entries.entries()) {
    updated = tally.append(updated, { ...common, ...entry, ...(index === 0 ? { cause: 'claim' } : {}) });
  }
  const roles = rewards.apply(null);
  if (claim.isAnnounced) {
    const balance = updated.credits;
    announce(vote, { entries, balance, streak, roles, receivedAt: now }, { tally, listing, deliveryId: null, now });
  }
  // Elsewhere, a delivery that arrives later is within the cooldown.
  if (base.site !== undefined) tally.addEvent(voteKey(vote, listing, now));
  if (streak !== null) {
    const nextVoteAt = claim.atSite?.nextVoteAt ?? null;
    const claimed = { listing, deliveryId: null, at, now, entries, account: updated, streak, reached, nextVoteAt };
    for (const { afterVote } of tally.hooks) callHook(afterVote, tally, claimed);
  }
  return { outcome: 'claimed', credits: creditsOf(entries), balance: updated.credits };
}

/** The counted vote that is closest to the time. */
function nearest(votes: readonly PastVote[], at: number): PastVote | null {
  const [closest = null] = votes
    .filter(({ cause }) => isCountedVote(cause))
    .sort((one, other) => Math.abs(one.at - at) - Math.abs(other.at - at));
  return closest;
}

function voteOf({ userId, at, atSite }: Claim, { kind }: ListingContext): Vote {
  return {
    family: 'vote',
    kind: voteKindOf(kind),
    target: { kind, id: null },
    userId,
    at,
    creditsAwarded: null,
    denial: null,
    ...(atSite && { atSite: { ...atSite, id: null } }),
  };
}

/** Corrects an account once per idempotency key of its community, inside the caller's transaction. */
function recordCorrection(tally: Tally, correction: Correction, idempotencyKey: string): CorrectionResult {
  const { communityId } = correction;
  const companions = tally.findCorrection(communityId, idempotencyKey) === null ? null : companionsOf(idempotencyKey);
  if (companions !== null && tally.findCorrection(communityId, companions.refund) !== null)
    return { outcome: 'refunded' };
  if (companions !== null && isUsed(tally, communityId, companions.transfer)) return { outcome: 'key_reused' };
  return repeat(tally, correction, idempotencyKey) ?? write(tally, correction, idempotencyKey);
}

/**
 * Moves credits between two accounts once per key, inside the caller's transaction: both corrections are written, or none.
 * @param key as the program has passed it
 */
function recordTransfer(tally: Tally, taken: Correction, given: Correction, key: string): TransferResult {
  const earlier = [repeat(tally, taken, transferKeyOf(key)), repeat(tally, given, changeKeyOf(key))];
  const isNew = earlier.every((result) => result === null);
  const from = isNew ? write(tally, taken, transferKeyOf(key)) : earlier[0];
  if (from?.outcome === 'overdrawn') return from;
  const to = isNew ? write(tally, given, changeKeyOf(key)) : earlier[1];
  if (from?.outcome !== 'corrected' || to?.outcome !== 'corrected') return { outcome: 'key_reused' };
  return { outcome: 'transferred', fromBalance: from.balance, toBalance: to.balance, repeated: !isNew };
}

/** The result of an earlier correction of the community with the key; null if there is none. */
function repeat(tally: Tally, correction: Correction, idempotencyKey: string): CorrectionResult | null {
  const { userId, communityId, credits, reason } = correction;
  const stored = tally.findCorrection(communityId, idempotencyKey);
  if (stored === null) return isUsed(tally, communityId, idempotencyKey) ? { outcome: 'key_reused' } : null;
  const isSame = stored.userId === userId && stored.credits === credits && stored.reason === reason;
  return isSame ? { outcome: 'corrected', balance: stored.balance, repeated: true } : { outcome: 'key_reused' };
}

/** True if a correction of the community has this idempotency key, also one of a member who was forgotten since. */
function isUsed(tally: Tally, communityId: CommunityId, idempotencyKey: string): boolean {
  const keys = [idempotencyKey, forgottenCorrectionKey(idempotencyKey)];
  return keys.some((key) => tally.findCorrection(communityId, key) !== null);
}

function write(tally: Tally, correction: Correction, idempotencyKey: string): CorrectionResult {
  const account = tally.accountState(accountIdOf(correction.communityId, correction.userId));
  const isOverdraft = correction.mayOverdraw !== true && overdraws(account.credits, correction.credits);
  if (isOverdraft) return { outcome: 'overdrawn', balance: account.credits };
  const achievement = programKeyOf(idempotencyKey) === null ? null : idempotencyKey;
  const { credits: balance } = tally.append(account, { ...correctionEntry(correction), achievement });
  const { audience, ...stored } = correction;
  tally.saveCorrection({ ...stored, idempotencyKey, balance });
  if (audience !== undefined)
    for (const { afterCorrection } of tally.hooks) afterCorrection?.(tally, { ...correction, audience }, balance);
  return { outcome: 'corrected', balance, repeated: false };
}
