import { addedValue } from '../../core/added-value.ts';
import { accountIdOf } from '../../core/ledger/account.ts';
import { isCountedVote } from '../../core/ledger/entry.ts';
import { type EffectKind, fieldsFormat, newEffect } from '../../core/outbox/effect-kind.ts';
import { type QueueName, queueName } from '../../core/outbox/queue.ts';
import { maxSameVoteGapMs, type RewardRules, toleranceMs, untimedRepeatWindowMs } from '../../core/rewards/reward.ts';
import type { ListingRewards } from '../../core/rewards/rules.ts';
import { literal, run } from '../../core/store/query-builder.ts';
import { hotTable } from '../../core/store/recording/hot-table.ts';
import { selectVotesBetween, toPastVote } from '../../core/store/recording/queries.ts';
import type { CorrectedVote, Sql } from '../../core/store/sql-module.ts';
import { namesOfTarget } from '../../core/tally/community.ts';
import { type EventKey, isIdentified, type NamedListing, voteKeys } from '../../core/tally/idempotency-key.ts';
import type { ListingContext } from '../../core/tally/listing-context.ts';
import type { PastVote, RecordedDelivery, Tally, UnrecordedVote } from '../../core/tally/tally.ts';
import { writeDuplicate, writeUnpaid } from '../../core/tally/write-event.ts';
import type { VoteAtSite } from '../../lookup/sites/site-client.ts';

export const reads = {
  async waiting(
    { db, connection }: ConfirmationSql,
    { listing, userId }: Confirmation,
  ): Promise<readonly WaitingVote[]> {
    const row = db.selectFrom('confirmations').select('waiting').where('vote', '=', voteOf(listing, userId));
    return (await run(connection, row)).flatMap(waitingIn);
  },

  /** The counted votes of a member for the target of a listing after a time (ms since the epoch). */
  async recordedSince(
    { db, connection }: ConfirmationSql,
    { name, community }: Pick<ListingContext, 'name' | 'community'>,
    userId: string,
    after: number,
  ): Promise<readonly RecordedVote[]> {
    const accountId = accountIdOf(community.id, userId);
    const account = db
      .selectFrom('balances')
      .select('last_entry')
      .where('account_id', '=', accountId)
      .limit(literal(1));
    const [{ last_entry: newest } = { last_entry: null }] = await run(connection, account);
    const names = namesOfTarget(community, name);
    const range = { newest, listing: null, after, before: Number.MAX_SAFE_INTEGER };
    const votes = (await connection.run(selectVotesBetween(db)(range))) as Parameters<typeof toPastVote>[0][];
    return votes
      .map(toPastVote)
      .filter(({ listing, cause }) => listing !== null && names.includes(listing) && isCountedVote(cause));
  },
};

async function changeWaiting(
  { db, connection }: Pick<ConfirmationSql, 'db' | 'connection'>,
  { listing, userId }: Confirmation,
  change: (waiting: readonly WaitingVote[]) => readonly WaitingVote[],
): Promise<void> {
  const vote = voteOf(listing, userId);
  const own = db.updateTable('confirmations').where('vote', '=', vote);
  // It locks the row until the end of the transaction.
  const [row] = await run(connection, own.set({ vote }).returning('waiting'));
  if (row === undefined) return;
  const changed = change(waitingIn(row));
  if (changed.length === 0) await run(connection, db.deleteFrom('confirmations').where('vote', '=', vote));
  else await run(connection, own.set(waitingRow(listing, userId, changed)));
}

const forgetWaiting = (
  sql: Pick<ConfirmationSql, 'db' | 'connection'>,
  confirmation: Confirmation,
  deliveryId: number,
) => changeWaiting(sql, confirmation, (waiting) => waiting.filter((each) => each.deliveryId !== deliveryId));

/** Votes that were received while a clock was ahead were received before it was set back. */
export const correctWaiting = (sql: ConfirmationSql, { listing, userId, correctedTo }: CorrectedVote) =>
  changeWaiting(sql, { listing, userId }, (waiting) =>
    waiting.map((each) => ({ ...each, receivedAt: Math.min(each.receivedAt, correctedTo) })),
  );

export const writes = {
  /** Leaves the delivery to the owner: a repeat of it is held again. */
  async leave(
    { db, connection }: ConfirmationSql,
    { listing, userId }: Confirmation,
    deliveryId: number,
    reason: string,
  ) {
    const delivery = db.updateTable('deliveries').where('id', '=', deliveryId).where('outcome', '=', 'quarantined');
    await run(connection, delivery.set({ reason }));
    await forgetWaiting({ db, connection }, { listing, userId }, deliveryId);
  },

  /** Notes that the delivery waits no longer, whatever became of it. */
  forgetWaiting,
};

/** True if the rules of a listing ask its site before a vote is paid. */
export const confirmRule = addedValue('confirm', false);

export interface ConfirmationTables {
  /** The votes of a member for a listing that wait for the confirmation of its site. `vote` is {@link voteOf}. */
  confirmations: { vote: string; user_id: string | null; listing: string | null; waiting: string | null };
}

export type ConfirmationSql = Sql<ConfirmationTables>;

export const confirmations = hotTable<ConfirmationTables>()({
  name: 'confirmations',
  key: ['vote'],
  columns: { vote: 'text', user_id: 'text', listing: 'text', waiting: 'text' },
  initial: {},
});

/** A vote that waits. Times are ms since the epoch. */
export interface WaitingVote {
  readonly deliveryId: number;
  /** The vote's own time; null without one. */
  readonly at: number | null;
  readonly receivedAt: number;
  /** The keys of its event; none without a time and an ID. */
  readonly keys: readonly EventKey[];
}

/**
 * Most waiting votes of a member and a listing: few, because each is a vote that a site has accepted, or a forged one.
 */
export const maxWaiting = 8;

export const voteOf = (listing: string, userId: string): string => `${listing} ${userId}`;

export function waitingIn({ waiting }: { readonly waiting: string | null }): readonly WaitingVote[] {
  // No other program writes it.
  return waiting === null ? [] : (JSON.parse(waiting) as readonly WaitingVote[]);
}

export function waitingRow(listing: string, userId: string, waiting: readonly WaitingVote[]) {
  const stored = waiting.length === 0 ? null : JSON.stringify(waiting);
  return { vote: voteOf(listing, userId), user_id: userId, listing, waiting: stored };
}

/** Asks the site of a listing whether a member has voted, and then records the vote. */
export interface Confirmation {
  readonly listing: string;
  readonly userId: string;
}

export const confirmationKind: EffectKind<'confirmation', Confirmation> = {
  kind: 'confirmation',
  ...fieldsFormat<Confirmation>({ listing: ['string'], userId: ['string'] }),
  withoutMember: (content, userId) => (content.userId === userId ? null : content),
};

/** A counted vote of the ledger for the same target. */
export type RecordedVote = Pick<PastVote, 'at' | 'untimed' | 'deliveryId'>;

/** The meaning of a site's answer for one vote. `unknown`: why it is no answer about this vote. */
export type Judgement = 'yes' | 'no' | { readonly unknown: string };

export interface Evidence {
  readonly answer: Pick<VoteAtSite, 'voted' | 'times' | 'since'>;
  /** The counted votes around it and since. */
  readonly recorded: readonly RecordedVote[];
  /** The votes of the member that wait, too. */
  readonly others: readonly WaitingVote[];
  readonly rules: RewardRules;
}

/**
 * Judges a vote by its own time, because each vote at the site confirms one delivery only: a delivery that may be forged is
 * not paid because the member has voted before or after it. Without times, "yes" confirms a vote if no other one, recorded or
 * waiting, can be the one that the site means.
 */
export function judge(vote: WaitingVote, evidence: Evidence): Judgement {
  const { answer, rules } = evidence;
  const { voted, times, since } = answer;
  const mine = times.filter((at) => mayBe(vote, at, rules) && !isTaken(at, evidence));
  if (mine.some((at) => isClosest(vote, at, evidence))) return 'yes';
  if (mine.length > 0) return { unknown: 'another delivery of the member is closer to the vote' };
  if (voted && times.length === 0) return judgeWithoutTimes(vote, evidence);
  const { from, until } = possibleTimes(vote, rules);
  if (times.some((at) => at > until)) return { unknown: 'the site tells of a later vote' };
  return since <= from ? 'no' : tooOld;
}

/** True if recording the vote pays nothing, whatever its site says: the ledger has it. */
export function isRecorded(vote: WaitingVote, { recorded, rules }: Pick<Evidence, 'recorded' | 'rules'>): boolean {
  return recorded.some(({ at, deliveryId }) => {
    if (vote.at === null) return Math.abs(at - vote.receivedAt) < untimedRepeatWindowMs(rules);
    return deliveryId === null && Math.abs(at - vote.at) <= maxSameVoteGapMs(rules);
  });
}

/** True if a vote at the site may be the one that one of the recorded or waiting deliveries is about. */
function mayBe(vote: WaitingVote, at: number, rules: RewardRules): boolean {
  if (vote.at !== null) return Math.abs(vote.at - at) <= toleranceMs;
  // The delivery may be late, but never by as much as the next vote is.
  return at <= vote.receivedAt + toleranceMs && at > vote.receivedAt - untimedRepeatWindowMs(rules);
}

/** True if a vote at the site is one that was paid already. */
function isTaken(at: number, { recorded, rules }: Pick<Evidence, 'recorded' | 'rules'>): boolean {
  return recorded.some((each) =>
    mayBe({ deliveryId: 0, at: each.untimed ? null : each.at, receivedAt: each.at, keys: [] }, at, rules),
  );
}

/** True if the delivery is the closest of several that may be about one vote, so that it is paid once. */
function isClosest(vote: WaitingVote, at: number, { others, rules }: Evidence): boolean {
  const distance = (each: WaitingVote) => Math.abs(timeOf(each) - at);
  return others
    .filter((other) => mayBe(other, at, rules))
    .every((other) => {
      const difference = distance(other) - distance(vote);
      return difference > 0 || (difference === 0 && other.deliveryId > vote.deliveryId);
    });
}

/** The site says only that there is a vote since a time: when the others count no more, it can mean this one alone. */
function judgeWithoutTimes(vote: WaitingVote, { answer: { since }, recorded, others }: Evidence): Judgement {
  if (timeOf(vote) < since) return tooOld;
  const isOnlyOne = [...recorded.map(({ at }) => at), ...others.map(timeOf)].every((at) => at < since);
  return isOnlyOne ? 'yes' : { unknown: 'the site may mean another vote of the member' };
}

const tooOld: Judgement = { unknown: 'the vote may be too old for the site' };

/** The earliest time at which the member may have voted, by the clock of the site (ms since the epoch). */
export function earliestTimeOf(vote: WaitingVote, rules: RewardRules): number {
  return possibleTimes(vote, rules).from;
}

function possibleTimes({ at, receivedAt }: WaitingVote, { site }: RewardRules) {
  const [first, last] = at === null ? [receivedAt - (site?.retryHorizonMs ?? 0), receivedAt] : [at, at];
  return { from: first - toleranceMs, until: last + toleranceMs };
}

export function timeOf({ at, receivedAt }: WaitingVote): number {
  return at ?? receivedAt;
}

/** Why a vote that is to be confirmed is in the quarantine. */
export const reasons = {
  waiting: 'the vote waits until its site confirms it',
  refused: 'the site says that the member has not voted',
  unknown: 'the site did not say within 24 hours whether the member has voted',
  tooMany: 'more votes of the member wait for the site than it can have accepted',
} as const;

/** The queue of the votes of a listing whose site is asked: one site that fails delays no other one. */
function confirmationQueue({ name, community }: NamedListing): QueueName {
  return queueName('confirmation', community.id, name);
}

/** The queues that a recorded delivery may have added a confirmation to. */
export function confirmationQueuesOf(
  { reason }: { readonly reason: string | null },
  listings: readonly (NamedListing & { readonly rewards: ListingRewards })[],
): readonly QueueName[] {
  if (reason !== reasons.waiting) return [];
  return listings.flatMap((listing) => (confirmRule.in(listing.rewards) ? confirmationQueue(listing) : []));
}

/**
 * Stores a vote until its site confirms it: its delivery is quarantined, and so recorded by a replay, be it because the
 * site has confirmed it or because the owner releases it. Until then, other deliveries of it are repeats; a different vote
 * of the member waits as well.
 */
export function holdVote(tally: Tally, unrecorded: UnrecordedVote): RecordedDelivery | null {
  const { vote, listing, delivery, rowWriter } = unrecorded;
  const { receivedAt } = delivery;
  const row = tally.rowOf(confirmations, voteOf(listing.name, vote.userId));
  const waiting = waitingIn(row);
  const save = (votes: readonly WaitingVote[]) =>
    tally.saveRow(confirmations, waitingRow(listing.name, vote.userId, votes));
  if (rowWriter.isReleased) {
    const others = waiting.filter(({ deliveryId }) => deliveryId !== rowWriter.replayedId);
    if (others.length < waiting.length) save(others);
    return null;
  }
  const keys: readonly EventKey[] = isIdentified(vote) ? voteKeys(vote, listing, receivedAt) : [];
  const windowMs = untimedRepeatWindowMs(listing.rewards.base);
  const repeated = waiting.find((other) =>
    keys.length > 0
      ? other.keys.some((key) => keys.includes(key))
      : Math.abs((other.at ?? other.receivedAt) - receivedAt) < windowMs,
  );
  if (repeated !== undefined) return writeDuplicate(vote, repeated.deliveryId, { ...unrecorded, tally });
  const isAsked = waiting.length < maxWaiting;
  const reason = isAsked ? reasons.waiting : reasons.tooMany;
  const { kind, userId, at } = vote;
  const held = { ...delivery, listing: listing.name, kind, userId, outcome: 'quarantined', reason } as const;
  const recorded = writeUnpaid(held, rowWriter);
  if (!isAsked || recorded.outcome !== 'quarantined') return recorded;
  const { deliveryId } = recorded;
  save([...waiting, { deliveryId, at, receivedAt, keys }]);
  const content = { listing: listing.name, userId };
  const queue = confirmationQueue(listing);
  tally.enqueue(newEffect(confirmationKind, { queue, content, deliveryId, createdAt: receivedAt }));
  return { ...recorded, outcome: 'recorded' };
}
