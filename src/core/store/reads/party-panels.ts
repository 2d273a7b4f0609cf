import type { Kysely } from 'kysely';
import type { PartyPanels } from '../../../discord/announcements/party-panel.ts';
import type { Connection } from '../../../platform/database/dialect.ts';
import { isPanelWaiting } from '../../tally/party-state.ts';
import { run } from '../query-builder.ts';
import { toPartyState } from '../recording/queries.ts';
import type { Tables } from '../tables.ts';
import type { Write } from '../writes/writes.ts';

export function sqlPartyPanels(db: Kysely<Tables>, reading: Connection, write: Write): PartyPanels {
  return {
    async find(period, now) {
      const [row] = await run(reading, db.selectFrom('parties').selectAll().where('period', '=', period));
      if (row === undefined) return null;
      const { votes, reachedAt, panel } = toPartyState(row);
      if (panel === null) return null;
      const isReplaced = panel.dueAt !== null && panel.dueAt > now && isPanelWaiting(panel, now);
      if (isReplaced) return null;
      const { channelId, goal, credits, endsAt } = panel;
      const { panel_message: id, panel_message_channel: messageChannelId } = row;
      const message = id === null || messageChannelId === null ? null : { id, channelId: messageChannelId };
      return { votes, reachedAt, channelId, goal, credits, endsAt, message };
    },
    updated: (period, update, now) => write('partyPanelUpdated', period, update, now),
    rejected: (period) => write('partyPanelRejected', period),
  };
}
