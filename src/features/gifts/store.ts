import type { Kysely } from 'kysely';
import { accountIdOf, type CommunityId } from '../../core/ledger/account.ts';
import { appendEntry, lockAccount, releaseAccount } from '../../core/store/accounts.ts';
import type { MemberTable } from '../../core/store/member-data/member-table.ts';
import { run } from '../../core/store/query-builder.ts';
import type { Sql, SqlClient } from '../../core/store/sql-module.ts';
import type { Tables } from '../../core/store/tables.ts';
import type { AccountState } from '../../core/tally/account-state.ts';
import { tellOf } from '../events/feature.ts';
import { type Gift, type GiftAllowance, type GiftRejection, giftEntries, rejectionOf } from './gift.ts';

export interface GiftTables {
  /** Gifts between members: of one confirmation one. Times are ms since the epoch. */
  gifts: {
    community_id: CommunityId;
    confirmation_id: string;
    /** Who gave. */
    user_id: string;
    receiver_id: string;
    credits: number;
    /** The balance of the giver after it (credits). */
    balance: number;
    at: number;
    /** The entries of the giver and of the receiver. */
    taken_entry: number;
    given_entry: number;
  };
}

type GiftSql = Sql<GiftTables>;

export type GiftResult =
  /** `balance` of the giver after it, `left` to give in the day (credits). `repeated`: it was made before, and nothing was written now. */
  | { readonly outcome: 'given'; readonly balance: number; readonly left: number; readonly repeated: boolean }
  /** Nothing was written. */
  | {
      readonly outcome: 'rejected';
      readonly rejection: GiftRejection;
      readonly balance: number;
      readonly left: number;
    }
  /** The confirmation was used for another gift. */
  | { readonly outcome: 'foreign' };

/** Credits that a member has given since the start of the day. */
async function givenSince(
  { db, connection }: GiftSql,
  { communityId, giverId }: Pick<Gift, 'communityId' | 'giverId'>,
  since: number,
): Promise<number> {
  const given = db
    .selectFrom('gifts')
    .select(({ fn }) => fn.sum<number | string | null>('credits').as('credits'))
    .where('user_id', '=', giverId)
    .where('community_id', '=', communityId)
    .where('at', '>=', since);
  return Number((await run(connection, given))[0]?.credits ?? 0);
}

export const reads = {
  /** The balance of a member, and how much the member may still give in the day (credits). */
  async allowance(
    sql: GiftSql,
    giver: Pick<Gift, 'communityId' | 'giverId'>,
    { limit, since }: GiftAllowance,
  ): Promise<{ readonly balance: number; readonly left: number }> {
    const { db, connection } = sql;
    const account = db.selectFrom('balances').select('credits');
    const own = account.where('account_id', '=', accountIdOf(giver.communityId, giver.giverId));
    const balance = (await run(connection, own))[0]?.credits ?? 0;
    return { balance, left: Math.max(0, limit - (await givenSince(sql, giver, since))) };
  },
};

export const writes = {
  /** Moves the credits once per confirmation, or nothing. A receiver without an account gets one. */
  async give(sql: GiftSql, gift: Gift, { limit, since }: GiftAllowance, now: number): Promise<GiftResult> {
    const { db, connection } = sql;
    const { communityId, confirmationId, giverId, receiverId, credits } = gift;
    const ids = { giver: accountIdOf(communityId, giverId), receiver: accountIdOf(communityId, receiverId) };
    // In the order of their ids, as everywhere. What was given before has the lock of the giver's account.
    const locked = new Map<string, AccountState>();
    for (const id of [ids.giver, ids.receiver].sort()) locked.set(id, await lockAccount(connection, db, id));
    const [giver, receiver] = [locked.get(ids.giver), locked.get(ids.receiver)];
    if (giver === undefined || receiver === undefined || giver === receiver) throw new Error('It needs two accounts.');
    const made = db.selectFrom('gifts').selectAll().where('community_id', '=', communityId);
    const [earlier] = await run(connection, made.where('confirmation_id', '=', confirmationId));
    const given = await givenSince(sql, gift, since);
    const left = Math.max(0, limit - given);
    const release = async (result: GiftResult) => {
      for (const account of locked.values()) await releaseAccount(connection, db, account);
      return result;
    };
    if (earlier !== undefined) {
      const isSame = earlier.user_id === giverId && earlier.receiver_id === receiverId && earlier.credits === credits;
      if (!isSame) return release({ outcome: 'foreign' });
      return { outcome: 'given', balance: earlier.balance, left, repeated: true };
    }
    const rejection = rejectionOf(credits, { limit, given, balance: giver.credits });
    if (rejection !== null) return release({ outcome: 'rejected', rejection, balance: giver.credits, left });
    const entries = giftEntries(gift, ids, now);
    const [from, to] = [
      await appendEntry(connection, db, giver, entries.taken),
      await appendEntry(connection, db, receiver, entries.given),
    ];
    const row = {
      ...{ community_id: communityId, confirmation_id: confirmationId, user_id: giverId, receiver_id: receiverId },
      ...{ credits, balance: from.credits, at: now },
      ...{ taken_entry: entryOf(from), given_entry: entryOf(to) },
    };
    await run(connection, db.insertInto('gifts').values(row));
    const common = { cause: 'gift', reason: 'gift', author: giverId, at: new Date(now).toISOString() } as const;
    for (const [userId, amount, balance] of [
      [giverId, 0 - credits, from.credits],
      [receiverId, credits, to.credits],
    ] as const) {
      const data = { userId, credits: amount, balance, ...common };
      await tellOf(sql, communityId, { type: 'credits.changed', data }, now);
    }
    return { outcome: 'given', balance: from.credits, left: left - credits, repeated: false };
  },
};

function entryOf({ lastEntry }: AccountState): number {
  if (lastEntry === null) throw new Error('The account has no entry.');
  return lastEntry;
}

export type GiftStore = SqlClient<{ readonly reads: typeof reads; readonly writes: typeof writes }>;

/** Gifts of a member and to a member. The reasons of their entries name both, so they are forgotten with either. */
export const memberGifts: MemberTable<GiftTables> = {
  select: (db, { userId }) => [giftsOf(db, userId).selectAll()],
  forget: (db, { userId }, pseudonym) => [
    ...(['taken_entry', 'given_entry'] as const).map((column) =>
      db
        .updateTable('entries')
        .set({ reason: null })
        .where('id', 'in', giftsOf(db, userId).select(column) as never),
    ),
    ...(['user_id', 'receiver_id'] as const).map((column) =>
      db
        .updateTable('gifts')
        .set({ [column]: pseudonym })
        .where(column, '=', userId),
    ),
  ],
};

function giftsOf(db: Kysely<Tables & GiftTables>, userId: string) {
  return db.selectFrom('gifts').where((eb) => eb.or([eb('user_id', '=', userId), eb('receiver_id', '=', userId)]));
}
