import { day, hour } from '@tallyhook/platform/durations';
import type { Generated, Selectable } from 'kysely';
import {
  type EffectKind,
  fieldsFormat,
  type MessageType,
  newEffect,
  ownerReport,
} from '../../core/outbox/effect-kind.ts';
import { type QueueName, queueName } from '../../core/outbox/queue.ts';
import { communityOfGuild } from '../../core/store/communities.ts';
import { enqueue } from '../../core/store/outbox/enqueue.ts';
import { run, upsert } from '../../core/store/query-builder.ts';
import type { Sql, SqlClient } from '../../core/store/sql-module.ts';
import type { PostedMessage } from '../../discord/posting.ts';

export interface VotePanelTables {
  /** The vote panel of each guild. Times are ms since the epoch. */
  vote_panels: {
    guild_id: string;
    channel_id: string;
    /** Null before it was posted there. */
    message_id: string | null;
    /** The message in whose place it is posted, which is to be deleted. */
    replaced_channel: string | null;
    replaced_message: string | null;
    /** A digest of what it shows. */
    shown: string | null;
    /** When an update was enqueued that has not been carried out. */
    planned_at: number | null;
    updated_at: Generated<number>;
  };
}

export type VotePanelSql = Sql<VotePanelTables>;

export type VotePanelRow = Selectable<VotePanelTables['vote_panels']>;

export interface PanelOfGuild {
  readonly channelId: string;
  readonly guildId: string;
}

export const votePanelKind: EffectKind<'votePanel', PanelOfGuild> = {
  kind: 'votePanel',
  ...fieldsFormat<PanelOfGuild>({ channelId: ['string'], guildId: ['string'] }),
};

/** The panel was deleted, or Discord does not let the bot post or change it. It is not shown any more. */
export interface LostPanel {
  readonly panelChannelId: string;
}

export const lostPanelReport: MessageType<'votePanelGone', LostPanel> = {
  type: 'votePanelGone',
  fields: { panelChannelId: ['string'] },
};

/**
 * An update that has not been carried out after this time was lost (ms): longer than one waits for a channel that Discord
 * rejects.
 */
const maxPlannedMs = day + hour;

export type StoredPanel = ReturnType<typeof toPanel>;

export const reads = {
  async all({ db, connection }: VotePanelSql): Promise<readonly StoredPanel[]> {
    return (await run(connection, db.selectFrom('vote_panels').selectAll())).map(toPanel);
  },

  async find({ db, connection }: VotePanelSql, guildId: string): Promise<StoredPanel | null> {
    const panels = db.selectFrom('vote_panels').selectAll().where('guild_id', '=', guildId);
    return (await run(connection, panels)).map(toPanel)[0] ?? null;
  },
};

function toPanel(row: VotePanelRow) {
  const { replaced_channel: channelId, replaced_message: id } = row;
  return {
    guildId: row.guild_id,
    channelId: row.channel_id,
    messageId: row.message_id,
    replaced: channelId === null || id === null ? null : { channelId, id },
    shown: row.shown,
    updatedAt: row.updated_at,
  };
}

export const writes = {
  /** Has the panel posted in a channel, in place of the one that the guild may have. Returns the queue of the effect. */
  async place(
    sql: VotePanelSql,
    { guildId, channelId }: { guildId: string; channelId: string },
    now: number,
  ): Promise<QueueName> {
    const before = await reads.find(sql, guildId);
    const replaced =
      before === null || before.messageId === null
        ? (before?.replaced ?? null)
        : { channelId: before.channelId, id: before.messageId };
    const row = {
      channel_id: channelId,
      message_id: null,
      replaced_channel: replaced?.channelId ?? null,
      replaced_message: replaced?.id ?? null,
      shown: null,
      planned_at: now,
    };
    await upsert(sql, 'vote_panels', { guild_id: guildId }, row);
    return enqueueUpdate(sql, { guildId, channelId }, now);
  },

  /** Enqueues an update, unless one is waiting. Returns its queue, or null. */
  async plan(sql: VotePanelSql, guildId: string, now: number): Promise<QueueName | null> {
    const { db, connection } = sql;
    const plan = db.updateTable('vote_panels').set({ planned_at: now }).where('guild_id', '=', guildId);
    const [panel] = await run(
      connection,
      plan
        .where(({ eb, or }) => or([eb('planned_at', 'is', null), eb('planned_at', '<', now - maxPlannedMs)]))
        .returning('channel_id'),
    );
    if (panel === undefined) return null;
    return enqueueUpdate(sql, { guildId, channelId: panel.channel_id }, now);
  },

  /** Stores what the message shows since `now`, unless the panel was moved meanwhile. */
  async updated(
    { db, connection }: VotePanelSql,
    { guildId, shown, message }: { guildId: string; shown: string; message: PostedMessage },
    now: number,
  ): Promise<void> {
    const row = { message_id: message.id, replaced_channel: null, replaced_message: null, shown };
    const update = db.updateTable('vote_panels').set({ ...row, planned_at: null, updated_at: now });
    await run(connection, update.where('guild_id', '=', guildId).where('channel_id', '=', message.channelId));
  },

  /** Forgets a panel that is gone, and reports it once in the owner's channel, if there is one. */
  async removed(
    { db, connection }: VotePanelSql,
    { guildId, channelId }: { guildId: string; channelId: string },
    reportTo: string | null,
    now: number,
  ): Promise<void> {
    const panel = db.deleteFrom('vote_panels').where('guild_id', '=', guildId).where('channel_id', '=', channelId);
    const [deleted] = await run(connection, panel.returning('guild_id'));
    if (deleted === undefined || reportTo === null) return;
    const communityId = await communityOfGuild({ db, connection }, guildId);
    await enqueue({ db, connection }, [
      ownerReport(communityId, reportTo, lostPanelReport, { panelChannelId: channelId }, now),
    ]);
  },
};

export type VotePanelStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;

/** Returns the queue of the effect. */
async function enqueueUpdate(
  sql: VotePanelSql,
  content: { guildId: string; channelId: string },
  now: number,
): Promise<QueueName> {
  const queue = queueName('channel', await communityOfGuild(sql, content.guildId), content.channelId);
  await enqueue(sql, [newEffect(votePanelKind, { queue, content, deliveryId: null, createdAt: now })]);
  return queue;
}
