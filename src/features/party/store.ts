import { accountIdOf } from '../../core/ledger/account.ts';
import { newEffect } from '../../core/outbox/effect-kind.ts';
import { queueName } from '../../core/outbox/queue.ts';
import { addToScores } from '../../core/rewards/calendar.ts';
import { appendEntry, lockAccount } from '../../core/store/accounts.ts';
import { enqueue } from '../../core/store/outbox/enqueue.ts';
import { literal, run } from '../../core/store/query-builder.ts';
import type { SqlClient } from '../../core/store/sql-module.ts';
import type { PostedMessage } from '../../discord/posting.ts';
import {
  isPanelWaiting,
  noPartyProgress,
  type PartyProgress,
  type PartyReward,
  type PartySql,
  panelIntervalMs,
  panelKey,
  partyEntry,
  partyOf,
  partyPanelKind,
  toPartyState,
} from './rules.ts';

/** Voters per transaction, in which votes for the party wait. */
const votersPerPayment = 15;

/** A party and its message. Times are ms since the epoch. */
export type ShownParty = NonNullable<Awaited<ReturnType<(typeof reads)['find']>>>;

export interface PanelUpdate {
  readonly message: PostedMessage;
  readonly votes: number;
  /** True if further votes change nothing. */
  readonly isFinal: boolean;
}

/* The messages of parties, by the id of their period. `now` in ms since the epoch. */

export const reads = {
  /** The progress of a party; without votes if nobody has voted in its period. */
  async progress({ db, connection }: PartySql, period: string): Promise<PartyProgress> {
    const [party] = await run(connection, db.selectFrom('parties').selectAll().where('period', '=', period));
    return party === undefined ? noPartyProgress : { votes: party.votes, reachedAt: party.reached_at };
  },

  /** Null if there is nothing to show, or a later update is planned, which will show it. */
  async find({ db, connection }: PartySql, period: string, now: number) {
    const [row] = await run(connection, db.selectFrom('parties').selectAll().where('period', '=', period));
    if (row === undefined) return null;
    const { votes, reachedAt, panel } = toPartyState(row);
    if (panel === null) return null;
    const isReplaced = panel.dueAt !== null && panel.dueAt > now && isPanelWaiting(panel, now);
    if (isReplaced) return null;
    // Without a channel, it goes to that of the effect.
    const { channelId, goal, credits, endsAt } = panel;
    const { panel_message: id, panel_message_channel: messageChannelId } = row;
    const message = id === null || messageChannelId === null ? null : { id, channelId: messageChannelId };
    return { votes, reachedAt, channelId, goal, credits, endsAt, message };
  },
};

export const writes = {
  /**
   * Pays the reward to voters who have not been paid, at most 15. Returns whether there may be more. `now` in ms
   * since the epoch.
   */
  async pay(sql: PartySql, { period: key, goal, credits, day }: PartyReward, now: number): Promise<boolean> {
    const { db, connection } = sql;
    const { communityId, period } = partyOf(key);
    // Two processes that pay at once take turns.
    const touch = db.updateTable('parties').set({ period: key }).where('period', '=', key);
    const [party] = await run(connection, touch.returning('reached_at'));
    if (party === undefined || party.reached_at === null) return false;
    const voters = await run(
      connection,
      db
        .selectFrom('party_voters')
        .select('user_id')
        .where('period', '=', key)
        .where('state', '=', literal('eligible'))
        .orderBy('user_id')
        .limit(votersPerPayment),
    );
    for (const { user_id: userId } of voters) {
      const account = await lockAccount(connection, db, accountIdOf(communityId, userId));
      const scores = addToScores(account.scores, day, 0, credits);
      const reward = partyEntry({ goal, credits }, period);
      const entry = { ...reward, accountId: account.id, listing: null, at: now, deliveryId: null, untimed: false };
      await appendEntry(connection, db, { ...account, scores }, entry);
    }
    const paid = db.updateTable('party_voters').set({ state: 'paid' }).where('period', '=', key);
    const userIds = voters.map(({ user_id }) => user_id);
    if (userIds.length > 0) await run(connection, paid.where('user_id', 'in', userIds));
    return voters.length === votersPerPayment;
  },

  /** Stores what a message shows since `now`. If there were votes meanwhile, enqueues another update. */
  async updated(sql: PartySql, period: string, { message, votes, isFinal }: PanelUpdate, now: number): Promise<void> {
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
    const queue = queueName('channel', partyOf(period).communityId, channelId);
    const effect = {
      queue,
      content: { channelId, period },
      deliveryId: null,
      createdAt: now,
      plan: { key: panelKey(period), dueAt },
    };
    await enqueue(sql, [newEffect(partyPanelKind, effect)]);
  },

  /** Notes that Discord has rejected the message in its channel. The next vote selects a channel again. */
  async rejected({ db, connection }: PartySql, period: string): Promise<void> {
    await run(connection, updateParty(db, period).set({ panel_channel: null, panel_due_at: null }));
  },
};

function updateParty(db: PartySql['db'], period: string) {
  return db.updateTable('parties').where('period', '=', period);
}

export type PartyStore = SqlClient<{ reads: typeof reads; writes: typeof writes }>;
