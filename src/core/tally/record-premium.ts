import { endsOrder, type Premium } from '../../webhook/event.ts';
import { quarantineReasons } from '../../webhook/rejections.ts';
import { accountIdOf } from '../ledger/account.ts';
import { decidePremium, type PremiumOrder, premiumSource } from '../rewards/decide-premium.ts';
import type { Grant } from '../rewards/grant.ts';
import { addToScores } from '../rewards/period-scores.ts';
import { creditsOf } from '../rewards/reward.ts';
import type { AccountState } from './account-state.ts';
import { calendarOf } from './community.ts';
import { applyGrants } from './grants.ts';
import { premiumKeys } from './idempotency-key.ts';
import { applyToOrder, orderIdsOf, withHolder } from './order.ts';
import { withEvent } from './order-times.ts';
import type { Order, RecordedDelivery } from './tally.ts';
import { callHook, quarantineDelivery, type RecordingContext, writeDuplicate, writeEvent } from './write-event.ts';

/** Records a premium event and the order that it changes, or as a duplicate. */
export function recordPremium(premium: Premium, context: RecordingContext): RecordedDelivery {
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
