import { type DeliveryRecord, type EffectRecord, type EntryRecord, isPruned } from '../core/records/records.ts';
import { explainDelivery, explainEffect } from './explain.ts';
import type { DeliveryDetails } from './get-delivery.ts';
import type { LeaderboardDetails } from './get-leaderboard.ts';
import type { MemberAccount, MemberDetails, VoteTimes } from './get-member.ts';
import type { Summary } from './get-summary.ts';

/*
 * The JSON of the owner API. Times are ISO 8601 in UTC.
 */

/** The body is null if it was pruned; a duplicate has the body of the delivery that it repeats. */
export function deliveryJson(delivery: DeliveryRecord) {
  const { id, receivedAt, family, listing, kind, outcome, reason, userId, credits } = delivery;
  const body = isPruned(delivery) ? null : delivery.body;
  return { id, receivedAt: iso(receivedAt), family, listing, kind, outcome, reason, userId, credits, body };
}

export function effectJson({ createdAt, dueAt, finishedAt, ...effect }: EffectRecord) {
  return { ...effect, createdAt: iso(createdAt), dueAt: iso(dueAt), finishedAt: iso(finishedAt) };
}

export function effectDetailsJson(effect: EffectRecord) {
  return { ...effectJson(effect), why: explainEffect(effect) };
}

function entryJson(entry: EntryRecord) {
  return { ...entry, at: iso(entry.at) };
}

export function deliveryDetailsJson({ delivery, original, entry, effects, why, timeline }: DeliveryDetails) {
  return {
    ...deliveryJson(delivery),
    why,
    duplicateOf: original,
    entry: entry && entryJson(entry),
    effects: effects.map(effectJson),
    timeline: timeline.map((item) => ({ ...item, at: iso(item.at) })),
  };
}

/** With several accounts, credits and votes are their sums, and everything else is of the first account. */
export function memberJson({ standing, accounts, isReminded, last, listings, entries, unpaid }: MemberDetails) {
  const { userId, rank, streak, grants } = standing;
  const credits = accounts.reduce((sum, account) => sum + account.standing.credits, 0);
  const votes = accounts.reduce((sum, account) => sum + account.standing.votes, 0);
  return {
    ...{ userId, credits, votes, rank },
    accounts: accounts.map(accountJson),
    streak: { days: streak.days, endsAt: iso(streak.endsAt) },
    grants: grants.map(({ role, until }) => ({ role, until: iso(until) })),
    reminder: isReminded,
    lastVoteAt: iso(last?.lastVoteAt ?? null),
    nextVoteAt: iso(last?.nextVoteAt ?? null),
    listings: listings.map(voteTimesJson),
    entries: entries.rows.map(entryJson),
    next: entries.next,
    unpaid: unpaid.map((delivery) => ({ ...deliveryJson(delivery), why: explainDelivery(delivery) })),
  };
}

function accountJson({ guildId, standing, isReminded, last }: MemberAccount) {
  const { credits, votes, rank, streak, grants } = standing;
  return {
    ...{ guildId, credits, votes, rank },
    streak: { days: streak.days, endsAt: iso(streak.endsAt) },
    grants: grants.map(({ role, until }) => ({ role, until: iso(until) })),
    reminder: isReminded,
    lastVoteAt: iso(last?.lastVoteAt ?? null),
    nextVoteAt: iso(last?.nextVoteAt ?? null),
  };
}

export function leaderboardJson({ asOf, ...leaderboard }: LeaderboardDetails) {
  return { ...leaderboard, asOf: iso(asOf) };
}

function voteTimesJson({ listing, lastVoteAt, nextVoteAt }: VoteTimes) {
  return { listing, lastVoteAt: iso(lastVoteAt), nextVoteAt: iso(nextVoteAt) };
}

export function summaryJson({ counts, parts, budgets, lastDelivery }: Summary) {
  return { ...counts, parts, budgets, lastDelivery: lastDelivery && deliveryJson(lastDelivery) };
}

/** @param at ms since the epoch */
export function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
