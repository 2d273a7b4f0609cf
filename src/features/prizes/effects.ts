import { type Fields, matches } from '@tallyhook/platform/json';
import {
  type EffectKind,
  fieldsFormat,
  newEffect,
  type PlannedEffect,
  planKey,
} from '../../core/outbox/effect-kind.ts';
import { queueName } from '../../core/outbox/queue.ts';
import type { CalendarPeriod } from '../../core/rewards/calendar.ts';
import type { PrizeBoard, Settlement, Winner } from './rules.ts';

/** Decides who has won, pays them, and plans the settlement of the next period. */
export const settlementKind: EffectKind<'prizeSettlement', Settlement> = {
  kind: 'prizeSettlement',
  ...fieldsFormat<Settlement>({ communityId: ['number'], per: ['string'], by: ['string'], firstDay: ['number'] }),
};

/** A settlement at its time, planned once for a board and period (times in ms since the epoch). */
export function plannedSettlement(
  settlement: Settlement,
  { id }: CalendarPeriod,
  { dueAt, now }: { readonly dueAt: number; readonly now: number },
): PlannedEffect {
  const { communityId, per, by } = settlement;
  const queue = queueName('prize', communityId, 'settlements');
  const effect = newEffect(settlementKind, { queue, content: settlement, deliveryId: null, createdAt: now });
  return { ...effect, plan: { key: planKey(communityId, 'prizes', per, by, id), dueAt } };
}

/** Announces who has won. */
export interface PrizesWon extends PrizeBoard {
  readonly channelId: string;
  /** The first day of the period (day number). */
  readonly firstDay: number;
  /** The best places. */
  readonly winners: readonly Winner[];
  /** How many other members have won. */
  readonly more: number;
}

const fields: Fields<PrizesWon> = {
  channelId: ['string'],
  per: ['string'],
  by: ['string'],
  firstDay: ['number'],
  winners: ['object'],
  more: ['number'],
};
const winnerFields: Fields<Winner> = {
  userId: ['string'],
  place: ['number'],
  score: ['number'],
  credits: ['number'],
  role: ['string', null],
};

export const prizesWonKind: EffectKind<'prizesWon', PrizesWon> = {
  kind: 'prizesWon',
  parse(value) {
    if (!matches<PrizesWon>(value, fields) || !Array.isArray(value.winners)) return null;
    return value.winners.every((winner) => matches<Winner>(winner, winnerFields)) ? value : null;
  },
  withoutMember(content, userId) {
    const winners = content.winners.filter((winner) => winner.userId !== userId);
    return winners.length === 0 ? null : { ...content, winners };
  },
};
