import type { Feature } from '../../core/feature.ts';
import { newEffect, planKey } from '../../core/outbox/effect-kind.ts';
import { queueName } from '../../core/outbox/queue.ts';
import { literal, run } from '../../core/store/query-builder.ts';
import type { HotKey } from '../../core/store/recording/hot-table.ts';
import { type EndedGuild, rowsPerWrite } from '../../core/store/sql-module.ts';
import { calendarOf } from '../../core/tally/community.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import type { CountedVote, Tally } from '../../core/tally/tally.ts';
import { tell } from '../events/feature.ts';
import {
  addPartyVote,
  goalAt,
  isPanelWaiting,
  type PartyPanelState,
  type PartyPeriod,
  type PartyRules,
  type PartySql,
  type PartyState,
  type PartyTables,
  panelIntervalMs,
  panelKey,
  parties,
  partyAnnounced,
  partyKey,
  partyPanelKind,
  partyPeriod,
  partyPeriodAt,
  partyReachedKind,
  partyRewardKind,
  partyRules,
  partyVoters,
  toPartyState,
  withPartyState,
} from './rules.ts';
import * as sql from './store.ts';

export { daysOfPeriod } from './rules.ts';

export const party = {
  sql,
  tables: {
    parties: { withoutMembers: 'Totals.' },
    party_voters: {
      select: (db, { userId }) => [votersOf(db, userId)],
      forget(db, { userId }, user_id) {
        const voters = db.updateTable('party_voters').set({ user_id }).where('user_id', '=', userId);
        return [voters.where('period', 'in', db.selectFrom('parties').select('period'))];
      },
    },
  },
  effects: [partyRewardKind, partyPanelKind, partyReachedKind],
  onVote: { of: { rule: partyRules }, reads: partyRow, call: countForParty },
  beforeForgetting: lockUnpaidParties,
  deleteOfGuild: deleteParties,
  goalAt,
} satisfies Feature<PartyTables>;

/** The payment of a party would otherwise pay the account under both ids. */
async function lockUnpaidParties({ db, connection }: PartySql, userId: string): Promise<readonly []> {
  const voters = await run(connection, votersOf(db, userId));
  const periods = voters.filter(({ state }) => state === 'eligible').map(({ period }) => period);
  for (const period of periods.sort()) {
    await run(connection, db.updateTable('parties').set({ period }).where('period', '=', period));
  }
  return [];
}

/** Deletes the parties of a community that has ended: their voters first. */
async function deleteParties({ db, connection }: PartySql, { communityId }: EndedGuild): Promise<boolean> {
  const own = db.selectFrom('parties').select('period').where('period', 'like', `${communityId} %`);
  const [party] = await run(connection, own.orderBy('period').limit(literal(1)));
  if (party === undefined) return false;
  const { period } = party;
  const voters = db.selectFrom('party_voters').select('user_id').where('period', '=', period);
  const rows = await run(connection, voters.limit(literal(rowsPerWrite)));
  for (const { user_id } of rows) {
    const voter = db.deleteFrom('party_voters').where('period', '=', period);
    await run(connection, voter.where('user_id', '=', user_id));
  }
  if (rows.length < rowsPerWrite) await run(connection, db.deleteFrom('parties').where('period', '=', period));
  return true;
}

/** A member's periods. The key begins with the period, so it is looked up for each one. */
function votersOf(db: PartySql['db'], userId: string) {
  const voters = db.selectFrom('party_voters').selectAll().where('user_id', '=', userId);
  return voters.where('period', 'in', db.selectFrom('parties').select('period'));
}

function partyRow({ listing, at }: { readonly listing: ListingContext; readonly at: number }): HotKey | null {
  const key = partyPeriodAt(listing, at);
  return key === null ? null : { table: parties, key };
}

/**
 * Counts a vote for the party of its period. The rewards are paid by an effect, because the goal may be reached by
 * thousands of voters at once.
 */
function countForParty(tally: Tally, { listing, account, at, day, deliveryId, now }: CountedVote): void {
  const rules = partyRules.in(listing.rewards);
  if (!rules) return;
  const calendarPeriod = partyPeriod(rules.per, day);
  const period = partyKey(listing.community.id, calendarPeriod.id);
  const row = tally.rowOf(parties, period);
  const party = toPartyState(row);
  const { progress, payees } = addPartyVote(party, rules, at);
  const isEligible = progress.reachedAt === null || payees !== 'nobody';
  const reachesGoal = payees === 'all_voters';
  const panel = updatePanel(tally, party, {
    listing,
    rules,
    period: { ...calendarPeriod, id: period },
    reachesGoal,
    deliveryId,
    now,
  });
  tally.saveRow(parties, withPartyState(row, { ...progress, panel }));
  tally.saveRow(partyVoters, { period, user_id: account.userId, state: isEligible ? 'eligible' : 'late' });
  if (reachesGoal) {
    const { goal, credits } = rules;
    const data = { period: calendarPeriod.id, goal, credits, at: new Date(at).toISOString() };
    tell(tally, { listing, deliveryId, now }, { type: 'party.reached', data });
  }
  if (payees === 'nobody') return;
  const { goal, credits } = rules;
  const { id: communityId } = listing.community;
  const queue = queueName('party', communityId, 'rewards');
  const content = { period, goal, credits, day };
  tally.enqueue(newEffect(partyRewardKind, { queue, content, deliveryId, createdAt: now }));
}

interface PanelVote {
  readonly listing: ListingContext;
  readonly rules: PartyRules;
  readonly period: PartyPeriod;
  readonly reachesGoal: boolean;
  readonly deliveryId: number | null;
  /** The current time (ms since the epoch). */
  readonly now: number;
}

/**
 * Enqueues an update of the panel, unless one is waiting, and with the first vote of a period another one for its end.
 * So there is one message per period and no effect per vote. Returns the new state; null without a channel.
 */
function updatePanel(tally: Tally, party: PartyState, vote: PanelVote): PartyPanelState | null {
  const { listing, rules, period, reachesGoal, deliveryId, now } = vote;
  const { goal, credits } = rules;
  const { panel: stored } = party;
  if (!partyAnnounced.in(listing.announced)) return stored;
  const channelId = stored?.channelId ?? listing.announceChannelId;
  if (channelId === null) return stored;
  const common = { queue: queueName('channel', listing.community.id, channelId), deliveryId, createdAt: now };
  const content = { channelId, period: period.id };

  const endsAt = stored?.endsAt ?? calendarOf(listing.community).startOf(period.endDay);
  if (stored === null && endsAt > now) {
    const plan = { key: planKey(listing.community.id, 'party end', period.id), dueAt: endsAt };
    tally.enqueue(newEffect(partyPanelKind, { ...common, content, plan }));
  }
  if (reachesGoal) {
    tally.enqueue(newEffect(partyReachedKind, { ...common, content: { ...content, goal, credits } }));
  }

  // The final state is shown, or an update is waiting.
  if (party.reachedAt !== null && stored !== null && stored.channelId !== null) return stored;
  const { dueAt: waitingUntil = null, updatedAt = 0 } = stored ?? {};
  const panel = { channelId, goal, credits, endsAt, dueAt: waitingUntil, updatedAt };
  if (isPanelWaiting(panel, now)) return panel;
  const dueAt = Math.min(Math.max(now, updatedAt + panelIntervalMs), now + panelIntervalMs);
  const plan = dueAt > now ? { plan: { key: panelKey(period.id), dueAt } } : {};
  tally.enqueue(newEffect(partyPanelKind, { ...common, content, ...plan }));
  return { ...panel, dueAt };
}
