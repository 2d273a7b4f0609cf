import { noCommunity } from '../ledger/account.ts';
import { newEffect, replayKind } from '../outbox/effect-kind.ts';
import { type PlannedEffect, planKey } from '../outbox/outbox.ts';
import { queueName } from '../outbox/queue.ts';
import type { ListingIdentity } from './listing-identity.ts';
import {
  alreadyReplayed,
  type Delivery,
  type DeliveryRow,
  type DeliveryRowWriter,
  type RecordedDelivery,
  type RoutedDelivery,
  type Tally,
} from './tally.ts';

/** A delivery in the quarantine. */
export interface QuarantinedDelivery extends Delivery {
  readonly id: number;
  readonly listing: string | null;
  readonly kind: string | null;
  readonly userId: string | null;
  readonly outcome: 'quarantined';
  /** The listings whose secret has authenticated it. */
  readonly origin: readonly ListingIdentity[];
}

/** Logs a delivery that pays nothing. */
export function writeUnpaid(
  row: Omit<DeliveryRow, 'credits' | 'eventKeys'>,
  { writeRow }: DeliveryRowWriter,
): RecordedDelivery {
  const { outcome, reason } = row;
  const deliveryId = writeRow({ ...row, credits: 0, eventKeys: [] });
  if (deliveryId === null) return alreadyReplayed;
  return { outcome, deliveryId, credits: 0, reason, isAnnounced: false, causes: [] };
}

/** Stores a delivery complete until it can be processed, so that a vote in a new format is never lost. */
export function quarantineDelivery(
  tally: Pick<Tally, 'enqueue'>,
  delivery: Delivery,
  { kind, reason, listing, userId = null, dueAt }: Omit<RoutedDelivery & { type: 'quarantine' }, 'type' | 'origin'>,
  rowWriter: DeliveryRowWriter,
): RecordedDelivery {
  const recorded = writeUnpaid({ ...delivery, listing, kind, outcome: 'quarantined', reason, userId }, rowWriter);
  if (dueAt !== undefined && recorded.outcome === 'quarantined')
    tally.enqueue(plannedReplay(recorded.deliveryId, dueAt, rowWriter.effectsCreatedAt));
  return recorded;
}

/** The effect that replays a delivery at its time. Of no community: several listings may be possible. */
export function plannedReplay(deliveryId: number, dueAt: number, createdAt: number): PlannedEffect {
  const queue = queueName('replay', noCommunity, String(deliveryId));
  const plan = { key: planKey(noCommunity, 'replay', String(deliveryId)), dueAt };
  return { ...newEffect(replayKind, { queue, content: { deliveryId }, deliveryId: null, createdAt }), plan };
}
