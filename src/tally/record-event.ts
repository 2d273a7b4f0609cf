import { type AccountState, lastVoteIn } from '../ledger/account.ts';
import { allVotes, countedVoteCauses } from '../ledger/entry.ts';
import { type Event, endsOrder, type Premium, type Vote } from '../ledger/event.ts';
import {
  decidePremiumReward,
  decideVoteReward,
  minVoteGapMs,
  type RewardDecision,
  untimedRepeatWindowMs,
} from '../ledger/reward-rules.ts';
import { announcementOf, channelFor } from './announcement.ts';
import { premiumKeys, voteKey } from './idempotency-key.ts';
import { applyToOrder, orderNames, withHolder } from './order.ts';
import { quarantine } from './quarantine.ts';
import { noRecipient } from './routed-delivery.ts';
import type { Delivery, DeliveryRowWriter, ListingContext, RecordedDelivery, Tally } from './tally.ts';

/**
 * One event becomes a row, an entry, a balance and its effects, inside the caller's transaction.
 * An event that is recorded already changes nothing but the delivery log.
 */
export function recordEvent(
  tally: Tally,
  event: Event,
  listing: ListingContext,
  delivery: Delivery,
  filing: DeliveryRowWriter,
): Promise<RecordedDelivery> {
  const scene = { tally, listing, delivery, filing };
  return event.family === 'vote' ? recordVote(event, scene) : recordPremium(event, scene);
}

/** What recording takes besides the event. */
interface RecordingContext {
  readonly tally: Tally;
  readonly listing: ListingContext;
  readonly delivery: Delivery;
  readonly filing: DeliveryRowWriter;
}

async function recordVote(vote: Vote, scene: RecordingContext): Promise<RecordedDelivery> {
  const { tally, listing, delivery } = scene;
  const { receivedAt } = delivery;
  const { rules, name } = listing;
  const passbook = await tally.accountState(vote.userId);
  const withinCooldown = await isWithinCooldown(vote.at ?? receivedAt, passbook, scene);
  if (vote.at === null && (await isRepeat(receivedAt, withinCooldown, passbook, scene))) return repeat(vote, scene);
  const verdict = decideVoteReward(vote, rules, withinCooldown);
  return write(vote, verdict, voteKey(vote, name, receivedAt), passbook, scene);
}

/**
 * A vote without a timestamp is the same vote for a whole cooldown; of a replayed one, also as the one that came after it. Only a vote that
 * counts can be the earlier one of a vote that may be paid, or a refused repeat would cost its member the next vote. One that is refused
 * anyway also repeats a refused one, so that it is not announced again each time it is delivered.
 */
async function isRepeat(
  receivedAt: number,
  withinCooldown: boolean,
  passbook: AccountState,
  { tally, listing }: RecordingContext,
): Promise<boolean> {
  const window = untimedRepeatWindowMs(listing.rules);
  const after = receivedAt - window;
  const last = lastVoteIn(passbook.lastVotes, listing.name);
  if (!withinCooldown && (last === null || last <= after)) return false;
  const causes = withinCooldown ? allVotes : countedVoteCauses;
  return tally.hasUntimedVoteBetween(passbook, listing.name, after, receivedAt + window, causes);
}

/** Nearly always the last vote alone decides. Only of one that arrives after a later one the entries have to be asked. */
async function isWithinCooldown(
  at: number,
  passbook: AccountState,
  { tally, listing }: RecordingContext,
): Promise<boolean> {
  const gap = minVoteGapMs(listing.rules);
  const last = lastVoteIn(passbook.lastVotes, listing.name);
  if (last === null || last <= at - gap) return false;
  return last < at + gap || tally.hasVoteBetween(passbook, listing.name, at - gap, at + gap);
}

async function recordPremium(told: Premium, scene: RecordingContext): Promise<RecordedDelivery> {
  const { tally, listing, delivery } = scene;
  const known = await tally.findOrder(told.orderIds);
  const event = withHolder(told, known);
  const keys = premiumKeys(event, orderNames(event, known), delivery.body);
  if (await tally.hasEvent(keys)) {
    // It may be the first to tell another name of its order.
    if (known !== null) await tally.saveOrder({ ...known, orderIds: orderNames(event, known) }, delivery.receivedAt);
    return repeat(event, scene);
  }

  const order = applyToOrder(event, known, listing.name);
  if (event.userId === null && !endsOrder(event.kind)) {
    // Its next event must not be taken for the first of an order of the giver's own.
    if (order !== null) await tally.saveOrder({ ...order, userId: null }, delivery.receivedAt);
    return quarantine(delivery, { kind: event.kind, reason: noRecipient, listing: listing.name }, scene.filing);
  }
  const verdict = decidePremiumReward(event, listing.rules, known?.state === 'revoked');
  const passbook = event.userId === null ? null : await tally.accountState(event.userId);
  const recorded = await write(event, verdict, keys[0], passbook, scene);
  if (order !== null) await tally.saveOrder(order, delivery.receivedAt);
  return recorded;
}

/** @param passbook the user's; null where the event names none */
async function write(
  event: Event,
  verdict: RewardDecision,
  eventKey: string,
  passbook: AccountState | null,
  scene: RecordingContext,
): Promise<RecordedDelivery> {
  const { tally, listing, delivery, filing } = scene;
  const { cause, credits, reason } = verdict;
  const { receivedAt } = delivery;
  const row = { ...rowOf(event, scene), outcome: 'recorded', reason, credits, eventKey } as const;
  const deliveryId = await filing.write(row);
  if (deliveryId === null) return repeat(event, scene);

  let balance: number | null = null;
  if (cause !== null && passbook !== null) {
    const at = event.at ?? receivedAt;
    const { userId } = passbook;
    const entry = { userId, listing: listing.name, credits, cause, reason, at, deliveryId };
    balance = (await tally.append(passbook, entry)).credits;
  }
  const channelId = channelFor(event.family, listing);
  if (channelId !== null) {
    const announcement = announcementOf(event, listing, { credits, balance, reason, receivedAt });
    await tally.enqueue({ deliveryId, kind: 'announcement', channelId, announcement, createdAt: filing.at });
  }
  return { outcome: 'recorded', deliveryId, credits, reason };
}

/** A repeat leaves a row, so that the owner sees that it came; it has no key, no entry and no effect. */
async function repeat(event: Event, scene: RecordingContext): Promise<RecordedDelivery> {
  const row = { ...rowOf(event, scene), outcome: 'duplicate', reason: null, credits: 0, eventKey: null } as const;
  const deliveryId = await scene.filing.write(row);
  return { outcome: 'duplicate', deliveryId: deliveryId ?? 0, credits: 0, reason: null };
}

function rowOf(event: Event, { delivery, listing }: RecordingContext) {
  return { ...delivery, listing: listing.name, kind: event.kind, userId: event.userId };
}
