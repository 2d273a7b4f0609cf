import type { Feature } from '../../core/feature.ts';
import { deleteRowsByKey } from '../../core/store/guild-data.ts';
import { deletedRows } from '../../core/store/member-data/member-table.ts';
import * as sql from './store.ts';
import {
  type ConfirmationTables,
  confirmationKind,
  confirmRule,
  holdVote,
  confirmations as table,
  voteOf,
} from './store.ts';

export const confirmations = {
  sql,
  tables: { confirmations: deletedRows<ConfirmationTables>('confirmations') },
  effects: [confirmationKind],
  deleteOfGuild: deleteRowsByKey<ConfirmationTables>('confirmations', 'listing', ['vote']),
  onTimeCorrected: sql.correctWaiting,
  beforeVote: {
    of: { rule: confirmRule },
    reads: ({ listing, userId }) => ({ table, key: voteOf(listing.name, userId) }),
    call: holdVote,
  },
} satisfies Feature<ConfirmationTables>;

export { confirmationQueuesOf, reasons as confirmationReasons } from './store.ts';
