import type { Kysely } from 'kysely';
import { run } from '../../core/store/query-builder.ts';
import { toPartyState } from '../../core/store/recording/queries.ts';
import type { Sql } from '../../core/store/sql-module.ts';
import type { Tables } from '../../core/store/tables.ts';
import { enqueueWrites } from '../../core/store/writes/enqueue.ts';
import { isPanelWaiting, panelIntervalMs } from '../../core/tally/party-state.ts';
import type { PanelUpdate, ShownParty } from '../../discord/announcements/party-panel.ts';

/* The messages of parties, by the id of their period. `now` in ms since the epoch. */

export const reads = {
  /** Null if there is nothing to show, or a later update is planned, which will show it. */
  async find({ db, connection }: Sql, period: string, now: number): Promise<ShownParty | null> {
    const [row] = await run(connection, db.selectFrom('parties').selectAll().where('period', '=', period));
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
};

export const writes = {
  /** Stores what a message shows since `now`. If there were votes meanwhile, enqueues another update. */
  async updated(sql: Sql, period: string, { message, votes, isFinal }: PanelUpdate, now: number): Promise<void> {
    const { db, connection } = sql;
    const shown = { panel_message: message.id, panel_message_channel: message.channelId, panel_updated_at: now };
    const [row] = await run(connection, updateParty(db, period).set(shown).returningAll());
    const panel = row === undefined ? null : toPartyState(row).panel;
    if (row === undefined || panel === null) return;
    // Another update is planned already if this effect was carried out twice.
    if (panel.dueAt !== null && panel.dueAt > now && isPanelWaiting(panel, now)) return;
    const isOutdated = row.votes !== votes && !isFinal;
    const dueAt = isOutdated ? now + panelIntervalMs : null;
    await run(connection, updateParty(db, period).set({ panel_due_at: dueAt }));
    if (dueAt === null) return;
    const { channelId } = message;
    const effect = { queue: channelId, content: { channelId, period }, deliveryId: null, createdAt: now, dueAt };
    await enqueueWrites(db, connection).enqueue([{ kind: 'partyPanel', ...effect }]);
  },

  /** Notes that Discord has rejected the message in its channel. The next vote selects a channel again. */
  async rejected({ db, connection }: Sql, period: string): Promise<void> {
    await run(connection, updateParty(db, period).set({ panel_channel: null, panel_due_at: null }));
  },
};

function updateParty(db: Kysely<Tables>, period: string) {
  return db.updateTable('parties').where('period', '=', period);
}
