import type { Kysely } from 'kysely';
import type { PanelUpdate } from '../../../discord/announcements/party-panel.ts';
import type { Connection } from '../../../platform/database/dialect.ts';
import { isPanelWaiting, panelIntervalMs } from '../../tally/party-state.ts';
import { run } from '../query-builder.ts';
import { toPartyState } from '../recording/queries.ts';
import type { Tables } from '../tables.ts';
import { enqueueWrites } from './enqueue.ts';

/** The messages of parties, for use inside a transaction of `connection`. */
export function partyPanelWrites(db: Kysely<Tables>, connection: Connection) {
  const { enqueue } = enqueueWrites(db, connection);
  const update = (period: string) => db.updateTable('parties').where('period', '=', period);

  return {
    /**
     * Stores what a message shows since `now` (ms since the epoch). If there were votes meanwhile, enqueues another
     * update.
     */
    async partyPanelUpdated(period: string, { message, votes, isFinal }: PanelUpdate, now: number): Promise<void> {
      const shown = { panel_message: message.id, panel_message_channel: message.channelId, panel_updated_at: now };
      const [row] = await run(connection, update(period).set(shown).returningAll());
      const panel = row === undefined ? null : toPartyState(row).panel;
      if (row === undefined || panel === null) return;
      // Another update is planned already if this effect was carried out twice.
      if (panel.dueAt !== null && panel.dueAt > now && isPanelWaiting(panel, now)) return;
      const isOutdated = row.votes !== votes && !isFinal;
      const dueAt = isOutdated ? now + panelIntervalMs : null;
      await run(connection, update(period).set({ panel_due_at: dueAt }));
      if (dueAt === null) return;
      const { channelId } = message;
      const effect = { queue: channelId, content: { channelId, period }, deliveryId: null, createdAt: now, dueAt };
      await enqueue([{ kind: 'partyPanel', ...effect }]);
    },

    /** Notes that Discord has rejected the message in its channel. The next vote selects a channel again. */
    async partyPanelRejected(period: string): Promise<void> {
      await run(connection, update(period).set({ panel_channel: null, panel_due_at: null }));
    },
  };
}
