import type { Feature } from '../../core/feature.ts';
import { deleteRowsByKey } from '../../core/store/guild-data.ts';
import { deletedRows } from '../../core/store/member-data/member-table.ts';
import { prizesWonKind, settlementKind } from './effects.ts';
import { periodEnd } from './rules.ts';
import type { PrizeTables } from './store.ts';
import * as sql from './store.ts';
import { lockUnpaidSettlements } from './store.ts';

export { type PrizeBoard, prizesOf } from './rules.ts';
export { currentPrizes } from './settings.ts';

const key = ['community_id', 'board', 'first_day'] as const;
const deleteWinners = deleteRowsByKey<PrizeTables>('prize_winners', 'community_id', [...key, 'user_id']);
const deleteSettlements = deleteRowsByKey<PrizeTables>('prize_settlements', 'community_id', key);

export const prizes = {
  sql,
  tables: {
    prize_settlements: { withoutMembers: 'Periods whose prizes were won.' },
    // A forgotten member is not paid.
    prize_winners: deletedRows<PrizeTables>('prize_winners'),
  },
  effects: [settlementKind, prizesWonKind],
  beforeForgetting: lockUnpaidSettlements,
  periodEnd,
  deleteOfGuild: async (...args) => (await deleteWinners(...args)) || deleteSettlements(...args),
} satisfies Feature<PrizeTables>;
