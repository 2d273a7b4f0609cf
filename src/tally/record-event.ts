import { type AccountState, lastVoteIn } from '../ledger/account.ts';
import { isCountedVote } from '../ledger/entry.ts';
import { type Event, endsOrder, type Premium, type Vote } from '../ledger/event.ts';
import {
  decidePremiumReward,
  decideVoteReward,
  minVoteGapMs,
  type RewardDecision,
  untimedRepeatWindowMs,
} from '../ledger/reward-rules.ts';
import { announcementOf, channelFor } from './announcement.ts';
import { type EventKey, premiumKeys, voteKey } from './idempotency-key.ts';
import { applyToOrder, orderIdsOf, withHolder } from './order.ts';
import { quarantineDelivery, quarantineReasons } from './quarantine.ts';
import {
  alreadyReplayed,
  type Delivery,
  type DeliveryRowWriter,
  type ListingContext,
  type RecordedDelivery,
  type Tally,
} from './tally.ts';

/**
 * Writes the row, entry, balance and effects of an event, inside the caller's transaction.
 * An event that is already recorded adds only a row to the delivery log.
 */
export function recordEvent(
  tally: Tally,
  event: Event,
  listing: ListingContext,
  delivery: Delivery,
  rowWriter: DeliveryRowWriter,
): RecordedDelivery {
  const context = { tally, listing, delivery, rowWriter };
  return event.family === 'vote' ? recordVote(event, context) : recordPremium(event, context);
}

/** The inputs of a recording apart from the event. */
interface RecordingContext {
  readonly tally: Tally;
  readonly listing: ListingContext;
  readonly delivery: Delivery;
  readonly rowWriter: DeliveryRowWriter;
}

function recordVote(vote: Vote, context: RecordingContext): RecordedDelivery {
  const { tally, listing, delivery } = context;
  const { receivedAt } = delivery;
  const { rules, name } = listing;
  const account = tally.accountState(vote.userId);
  const withinCooldown = isWithinCooldown(vote.at ?? receivedAt, account, context);
  if (vote.at === null && isRepeatedVote(receivedAt, withinCooldown, account, context)) {
    return writeDuplicate(vote, context);
  }
  const decision = decideVoteReward(vote, rules, withinCooldown);
  return writeEvent(vote, decision, voteKey(vote, name, receivedAt), account, context);
}

/**
 * Whether a vote without a timestamp repeats an earlier one: all such votes within one cooldown are the same vote. A
 * replayed vote is also compared with later ones. A vote that may be paid repeats only votes that count; otherwise a
 * rejected repeat would cost the member the next vote. A vote within the cooldown also repeats uncounted ones, so that
 * it is announced once.
 */
function isRepeatedVote(
  receivedAt: number,
  withinCooldown: boolean,
  account: AccountState,
  { tally, listing }: RecordingContext,
): boolean {
  const windowMs = untimedRepeatWindowMs(listing.rules);
  const after = receivedAt - windowMs;
  const last = lastVoteIn(account.lastVotes, listing.name);
  if (!withinCooldown && (last === null || last <= after)) return false;
  const votes = tally.votesBetween(account, listing.name, after, receivedAt + windowMs);
  return votes.some(({ cause, untimed }) => untimed && (withinCooldown || isCountedVote(cause)));
}

/** The last vote is usually sufficient. The entries are read only for a vote that arrives after a later one. */
function isWithinCooldown(at: number, account: AccountState, { tally, listing }: RecordingContext): boolean {
  const gapMs = minVoteGapMs(listing.rules);
  const last = lastVoteIn(account.lastVotes, listing.name);
  if (last === null || last <= at - gapMs) return false;
  if (last < at + gapMs) return true;
  return tally.votesBetween(account, listing.name, at - gapMs, at + gapMs).some(({ cause }) => isCountedVote(cause));
}

function recordPremium(premium: Premium, context: RecordingContext): RecordedDelivery {
  const { tally, listing, delivery } = context;
  const storedOrder = tally.findOrder(premium.orderIds);
  const event = withHolder(premium, storedOrder);
  const orderIds = orderIdsOf(event, storedOrder);
  const keys = premiumKeys(event, orderIds, delivery.body);
  if (keys.some((key) => tally.hasEvent(key))) {
    // A repeat may contain a new ID of its order.
    if (storedOrder !== null) tally.saveOrder({ ...storedOrder, orderIds }, delivery.receivedAt);
    return writeDuplicate(event, context);
  }

  const order = applyToOrder(event, storedOrder, listing.name);
  if (event.userId === null && !endsOrder(event.kind)) {
    // Store the order without a holder, so that its next event does not make the giver the holder.
    if (order !== null) tally.saveOrder({ ...order, userId: null }, delivery.receivedAt);
    const reason = quarantineReasons.noRecipient;
    return quarantineDelivery(delivery, { kind: event.kind, reason, listing: listing.name }, context.rowWriter);
  }
  const decision = decidePremiumReward(event, listing.rules, storedOrder?.state === 'revoked');
  const account = event.userId === null ? null : tally.accountState(event.userId);
  const recorded = writeEvent(event, decision, keys[0], account, context);
  if (order !== null) tally.saveOrder(order, delivery.receivedAt);
  return recorded;
}

/** @param account the account of the event's user; null if it has none */
function writeEvent(
  event: Event,
  { cause, credits, reason }: RewardDecision,
  eventKey: EventKey,
  account: AccountState | null,
  context: RecordingContext,
): RecordedDelivery {
  const { tally, listing, delivery, rowWriter } = context;
  const { receivedAt } = delivery;
  const row = { ...rowOf(event, context), outcome: 'recorded', reason, credits, eventKey } as const;
  const deliveryId = rowWriter.writeRow(row);
  if (deliveryId === null) return writeDuplicate(event, context);

  let balance: number | null = null;
  if (cause !== null && account !== null) {
    const at = event.at ?? receivedAt;
    const { userId } = account;
    const untimed = event.family === 'vote' && event.at === null;
    const entry = { userId, listing: listing.name, credits, cause, reason, at, deliveryId, untimed };
    balance = tally.append(account, entry).credits;
  }
  const channelId = channelFor(event.family, listing);
  if (channelId !== null) {
    const content = announcementOf(event, listing, { credits, balance, reason, receivedAt });
    const createdAt = rowWriter.effectsCreatedAt;
    tally.enqueue({ deliveryId, kind: 'announcement', queue: channelId, content, createdAt });
  }
  return { outcome: 'recorded', deliveryId, credits, reason };
}

/** Adds a row without key, entry and effect, so that the operator sees the repeated delivery. */
function writeDuplicate(event: Event, context: RecordingContext): RecordedDelivery {
  const row = { ...rowOf(event, context), outcome: 'duplicate', reason: null, credits: 0, eventKey: null } as const;
  const deliveryId = context.rowWriter.writeRow(row);
  return deliveryId === null ? alreadyReplayed : { outcome: 'duplicate', deliveryId, credits: 0, reason: null };
}

function rowOf(event: Event, { delivery, listing }: RecordingContext) {
  return { ...delivery, listing: listing.name, kind: event.kind, userId: event.userId };
}
