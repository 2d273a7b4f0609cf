import type { Feature } from '../../core/feature.ts';
import { deleteRowsByKey } from '../../core/store/guild-data.ts';
import { deletedRows } from '../../core/store/member-data/member-table.ts';
import { raffleDrawKind, raffleDrawnKind, raffleOpenedKind } from './effects.ts';
import { periodEnd } from './rules.ts';
import type { RaffleTables } from './store.ts';
import * as sql from './store.ts';

export { type RaffleRules, raffleOf } from './rules.ts';
export { currentRaffle } from './settings.ts';

const deleteWinners = deleteRowsByKey<RaffleTables>('raffle_winners', 'community_id', ['raffle_id', 'place']);
const deleteRaffles = deleteRowsByKey<RaffleTables>('raffles', 'community_id', ['id']);

export const raffles = {
  sql,
  tables: {
    raffles: { withoutMembers: 'Lists of tickets by pseudonyms.' },
    // The published list stays: the winners follow from it, by their pseudonyms.
    raffle_winners: deletedRows<RaffleTables>('raffle_winners'),
  },
  periodEnd,
  effects: [raffleDrawKind, raffleOpenedKind, raffleDrawnKind],
  deleteOfGuild: async (...args) => (await deleteWinners(...args)) || deleteRaffles(...args),
} satisfies Feature<RaffleTables>;
