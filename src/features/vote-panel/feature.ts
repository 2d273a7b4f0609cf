import type { Feature } from '../../core/feature.ts';
import { deleteRowsByKey } from '../../core/store/guild-data.ts';
import type { VotePanelTables } from './store.ts';
import * as sql from './store.ts';
import { lostPanelReport, votePanelKind } from './store.ts';

export const votePanel = {
  sql,
  tables: { vote_panels: { withoutMembers: 'Where the message of a guild is.' } },
  effects: [votePanelKind],
  ownerReports: [lostPanelReport],
  deleteOfGuild: deleteRowsByKey<VotePanelTables>('vote_panels', 'guild_id', ['guild_id']),
} satisfies Feature<VotePanelTables>;
