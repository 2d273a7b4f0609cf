import type { CommunityId } from '../../core/ledger/account.ts';
import {
  type EffectKind,
  fieldsFormat,
  newEffect,
  type PlannedEffect,
  planKey,
} from '../../core/outbox/effect-kind.ts';
import { queueName } from '../../core/outbox/queue.ts';

/** A raffle of a community. */
export interface RaffleKey {
  readonly communityId: CommunityId;
  /** Public: it is in the address of the published file. */
  readonly raffleId: string;
}

/** Decides who has won a raffle, pays them, and publishes how it was decided. */
export const raffleDrawKind: EffectKind<'raffleDraw', RaffleKey> = {
  kind: 'raffleDraw',
  ...fieldsFormat<RaffleKey>({ communityId: ['number'], raffleId: ['string'] }),
};

/** The draw of a raffle at its time (ms since the epoch). @param period such as `week 2026-W02` */
export function plannedDraw(
  { communityId, raffleId }: RaffleKey,
  period: string,
  { dueAt, now }: { readonly dueAt: number; readonly now: number },
): PlannedEffect {
  const queue = queueName('raffle', communityId, 'draws');
  const content = { communityId, raffleId };
  const effect = newEffect(raffleDrawKind, { queue, content, deliveryId: null, createdAt: now });
  return { ...effect, plan: { key: planKey(communityId, 'raffle', period), dueAt } };
}

/** An announcement of a raffle, which is read when it is posted: so it names nobody who was forgotten before. */
export interface AnnouncedRaffle extends RaffleKey {
  readonly channelId: string;
}

const announced = fieldsFormat<AnnouncedRaffle>({
  channelId: ['string'],
  communityId: ['number'],
  raffleId: ['string'],
});

/** Announces that a raffle has begun, and the digest of its seed. */
export const raffleOpenedKind: EffectKind<'raffleOpened', AnnouncedRaffle> = { kind: 'raffleOpened', ...announced };

/** Announces who has won a raffle. */
export const raffleDrawnKind: EffectKind<'raffleDrawn', AnnouncedRaffle> = { kind: 'raffleDrawn', ...announced };
